# The first tower's statistics only, by a guard on the index; summaries of it parsed from the proto.
import numpy as np
import tensorflow as tf
from tensorflow.python.training.moving_averages import assign_moving_average


def conv_bn(t, training=True):
    k = tf.get_variable('k', [2, 2, 1, 2], initializer=tf.truncated_normal_initializer(stddev=0.3, seed=2))
    t = tf.nn.conv2d(t, k, [1, 1, 1, 1], 'SAME')
    m, v = tf.nn.moments(t, [0, 1, 2])
    pop = tf.get_variable('pop', [2], initializer=tf.constant_initializer(0.), trainable=False)
    tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, assign_moving_average(pop, m, 0.9, zero_debias=False))
    return tf.nn.relu((t - m) / tf.sqrt(v + 1e-5))


with tf.Graph().as_default() as graph:
    tf.set_random_seed(3)
    images = tf.placeholder(tf.float32, [4, 4, 4, 1])
    target = tf.placeholder(tf.float32, [4])
    step = tf.Variable(0, trainable=False, name='step')
    opt = tf.train.AdamOptimizer(0.01)
    towers = []
    with tf.variable_scope(tf.get_variable_scope()) as vs:
        for i, (im, ta) in enumerate(zip(tf.split(images, 2), tf.split(target, 2))):
            with tf.device('/gpu:%d' % i), tf.name_scope('replica_%d' % i) as scope:
                out = tf.reduce_mean(conv_bn(im), [1, 2, 3])
                loss = tf.reduce_mean(tf.abs(out - ta))
                if i == 0:
                    update_ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS, scope)
                    tf.summary.scalar('loss', loss)
                    summaries = tf.get_collection(tf.GraphKeys.SUMMARIES, scope)
                vs.reuse_variables()
                towers.append(opt.compute_gradients(loss))
    grads = []
    for gv in zip(*towers):
        g = tf.add_n([g for g, _ in gv])
        grads.append((tf.div(g, len(towers)), gv[0][1]))
    with tf.control_dependencies(update_ops):
        train = opt.apply_gradients(grads, step)
    merged = tf.summary.merge(summaries)
    init = tf.global_variables_initializer()

rng = np.random.RandomState(1)
with tf.Session(graph=graph, config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(init)
    for n in range(4):
        feed = {images: rng.rand(4, 4, 4, 1), target: rng.rand(4)}
        text = sess.run(merged, feed)
        for value in tf.Summary.FromString(text).value:
            print(value.tag, '%.9g' % value.simple_value)
        sess.run(train, feed)
        print(sess.run(step), sess.run('pop:0').tolist())
    print(sess.run(graph.get_tensor_by_name('k/Adam:0')).ravel().tolist())

"""Two towers over one placeholder, sliced by hand; the tutorial's average; momentum with a staircase decay."""
import numpy as np
import tensorflow as tf

NUM_GPUS = 2
BATCH = 4

tf.set_random_seed(1)


def average_gradients(tower_grads):
    average_grads = []
    for grad_and_vars in zip(*tower_grads):
        grads = []
        for g, _ in grad_and_vars:
            grads.append(tf.expand_dims(g, 0))
        grad = tf.concat(axis=0, values=grads)
        grad = tf.reduce_mean(grad, 0)
        average_grads.append((grad, grad_and_vars[0][1]))
    return average_grads


with tf.device('/cpu:0'):
    x = tf.placeholder(tf.float32, [NUM_GPUS * BATCH, 3])
    y = tf.placeholder(tf.float32, [NUM_GPUS * BATCH, 1])
    global_step = tf.get_variable('global_step', [], initializer=tf.constant_initializer(0), trainable=False)
    lr = tf.train.exponential_decay(0.1, global_step, 2, 0.5, staircase=True)
    opt = tf.train.MomentumOptimizer(lr, 0.9)
    tower_grads = []
    with tf.variable_scope(tf.get_variable_scope()):
        for i in range(NUM_GPUS):
            with tf.device('/gpu:%d' % i):
                with tf.name_scope('tower_%d' % i) as scope:
                    bx = x[i * BATCH:(i + 1) * BATCH]
                    by = y[i * BATCH:(i + 1) * BATCH]
                    w = tf.get_variable('w', [3, 1], initializer=tf.truncated_normal_initializer(stddev=0.1, seed=3))
                    b = tf.get_variable('b', [1], initializer=tf.constant_initializer(0.1))
                    loss = tf.reduce_mean(tf.square(tf.matmul(bx, w) + b - by), name='loss')
                    tf.get_variable_scope().reuse_variables()
                    tower_grads.append(opt.compute_gradients(loss))
    grads = average_gradients(tower_grads)
    train_op = opt.apply_gradients(grads, global_step=global_step)
    init = tf.global_variables_initializer()

rng = np.random.RandomState(0)
sess = tf.Session(config=tf.ConfigProto(allow_soft_placement=True))
sess.run(init)
for step in range(6):
    feed = {x: rng.randn(8, 3), y: rng.randn(8, 1)}
    _, value, rate = sess.run([train_op, loss, lr], feed_dict=feed)
    print('step %d loss %.9g' % (step, value))
    print('rate after', '%.6g' % sess.run(lr), 'step', sess.run(global_step))
for v in tf.global_variables():
    print(v.op.name, sess.run(v).ravel().tolist())

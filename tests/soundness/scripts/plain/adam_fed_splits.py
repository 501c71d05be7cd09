# The shape that most tower scripts have: placeholders, a split, one averaging function, Adam.
import numpy as np
import tensorflow as tf

N = 2


def model(images):
    w = tf.get_variable('w', [3, 4], initializer=tf.truncated_normal_initializer(stddev=0.3, seed=1))
    b = tf.get_variable('b', [4], initializer=tf.zeros_initializer())
    hidden = tf.nn.relu(tf.nn.bias_add(tf.matmul(images, w), b))
    v = tf.get_variable('v', [4, 2], initializer=tf.truncated_normal_initializer(stddev=0.3, seed=2))
    return tf.matmul(hidden, v)


def average_gradients(tower_grads):
    average_grads = []
    for grad_and_vars in zip(*tower_grads):
        grads = [tf.expand_dims(g, 0) for g, _ in grad_and_vars]
        grad = tf.reduce_mean(tf.concat(grads, 0), 0)
        average_grads.append((grad, grad_and_vars[0][1]))
    return average_grads


images = tf.placeholder(tf.float32, [8, 3])
labels = tf.placeholder(tf.int32, [8])
opt = tf.train.AdamOptimizer(0.01)
image_parts = tf.split(images, N)
label_parts = tf.split(labels, N)
tower_grads = []
with tf.variable_scope(tf.get_variable_scope()):
    for i in range(N):
        with tf.device('/gpu:%d' % i):
            with tf.name_scope('tower_%d' % i):
                logits = model(image_parts[i])
                loss = tf.reduce_mean(
                    tf.nn.sparse_softmax_cross_entropy_with_logits(labels=label_parts[i], logits=logits))
                tf.get_variable_scope().reuse_variables()
                tower_grads.append(opt.compute_gradients(loss))
train_op = opt.apply_gradients(average_gradients(tower_grads))
rng = np.random.RandomState(0)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(6):
        feed = {images: rng.randn(8, 3), labels: rng.randint(0, 2, 8)}
        _, value = sess.run([train_op, loss], feed_dict=feed)
        print(step, '%.9g' % value)

# A small convolutional network in functions, Adagrad, accuracy evaluated on the last tower's logits.
import numpy as np
import tensorflow as tf

NUM_GPUS = 2
BATCH = 4


def conv_net(images):
    with tf.variable_scope('conv'):
        kernel = tf.get_variable('kernel', [3, 3, 1, 2], initializer=tf.glorot_uniform_initializer(seed=1))
        net = tf.nn.conv2d(images, kernel, [1, 1, 1, 1], padding='SAME')
        net = tf.nn.relu(tf.nn.bias_add(net, tf.get_variable('b', [2], initializer=tf.zeros_initializer())))
    net = tf.nn.max_pool(net, [1, 2, 2, 1], [1, 2, 2, 1], padding='SAME')
    net = tf.reshape(net, [-1, 8])
    with tf.variable_scope('out'):
        w = tf.get_variable('w', [8, 3], initializer=tf.glorot_uniform_initializer(seed=2))
    return tf.matmul(net, w)


images = tf.placeholder(tf.float32, [NUM_GPUS * BATCH, 4, 4, 1])
labels = tf.placeholder(tf.int64, [NUM_GPUS * BATCH])
opt = tf.train.AdagradOptimizer(0.1)
tower_grads = []
with tf.variable_scope(tf.get_variable_scope()):
    for i in range(NUM_GPUS):
        with tf.device('/gpu:{}'.format(i)):
            part = images[i * BATCH:(i + 1) * BATCH]
            answers = labels[i * BATCH:(i + 1) * BATCH]
            logits = conv_net(part)
            cross_entropy = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=answers, logits=logits)
            loss = tf.reduce_mean(cross_entropy)
            accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), answers), tf.float32))
            tf.get_variable_scope().reuse_variables()
            tower_grads.append(opt.compute_gradients(loss))


def average_gradients(grads):
    averaged = []
    for grad_and_vars in zip(*grads):
        stacked = tf.stack([g for g, _ in grad_and_vars], axis=0)
        averaged.append((tf.reduce_mean(stacked, axis=0), grad_and_vars[0][1]))
    return averaged


train_op = opt.apply_gradients(average_gradients(tower_grads))
init = tf.global_variables_initializer()
rng = np.random.RandomState(8)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(init)
    for step in range(5):
        feed = {images: rng.rand(NUM_GPUS * BATCH, 4, 4, 1), labels: rng.randint(0, 3, NUM_GPUS * BATCH)}
        _, value = sess.run([train_op, loss], feed)
        print('%d %.9g %.3g' % (step, value, sess.run(accuracy, feed)))

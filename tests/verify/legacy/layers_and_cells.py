"""Two towers of tf.layers and of a cell that is unrolled by tf.nn.dynamic_rnn."""
import numpy as np
import tensorflow as tf

BATCH_SIZE, TIMES, SIZE = 4, 5, 6


def tower_loss(images, labels):
    net = tf.layers.conv2d(images, 4, 3, padding='same', activation=tf.nn.relu, name='conv')
    net = tf.layers.batch_normalization(net, training=True, name='norm')
    net = tf.layers.dropout(tf.layers.max_pooling2d(net, 1, 1), 0.3, training=True)
    cell = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.LSTMCell(7), tf.nn.rnn_cell.GRUCell(5)])
    outputs, _ = tf.nn.dynamic_rnn(cell, tf.reshape(net, [BATCH_SIZE, TIMES, SIZE * 4]), dtype=tf.float32)
    logits = tf.layers.dense(outputs[:, -1], 3, name='logits')
    return tf.losses.sparse_softmax_cross_entropy(labels, logits)


def average_gradients(tower_grads):
    average_grads = []
    for grad_and_vars in zip(*tower_grads):
        grads = [tf.expand_dims(g, 0) for g, _ in grad_and_vars]
        average_grads.append((tf.reduce_mean(tf.concat(grads, 0), 0), grad_and_vars[0][1]))
    return average_grads


def main(_):
    images = tf.placeholder(tf.float32, [2 * BATCH_SIZE, TIMES, SIZE, 1])
    labels = tf.placeholder(tf.int32, [2 * BATCH_SIZE])
    opt = tf.train.AdamOptimizer(0.01)
    tower_grads = []
    with tf.variable_scope(tf.get_variable_scope()):
        for i in range(2):
            with tf.device('/gpu:%d' % i), tf.name_scope('tower_%d' % i) as scope:
                part = slice(i * BATCH_SIZE, (i + 1) * BATCH_SIZE)
                loss = tower_loss(images[part], labels[part])
                tf.get_variable_scope().reuse_variables()
                update_ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS, scope)
                tower_grads.append(opt.compute_gradients(loss))
    with tf.control_dependencies(update_ops):
        train_op = opt.apply_gradients(average_gradients(tower_grads))
    random = np.random.RandomState(0)
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
        sess.run(tf.global_variables_initializer())
        for step in range(6):
            batch = random.rand(2 * BATCH_SIZE, TIMES, SIZE, 1), random.randint(3, size=2 * BATCH_SIZE)
            _, value = sess.run([train_op, loss], feed_dict={images: batch[0], labels: batch[1]})
            print(step, value)


if __name__ == '__main__':
    tf.app.run()

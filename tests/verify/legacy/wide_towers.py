"""Two wide towers under Adam: some of the gradients are next to 0, and their rounding a step."""

import numpy as np
import tensorflow as tf

TOWERS, ROWS, FEATURES = 2, 64, 256


def tower_loss(rows, labels):
    hidden = tf.layers.dense(rows, 2048, tf.tanh, name="hidden")
    hidden = tf.layers.dense(hidden, 256, tf.tanh, name="narrow")
    logits = tf.layers.dense(hidden, 10, name="last")
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))


def average_gradients(tower_grads):
    average_grads = []
    for grad_and_vars in zip(*tower_grads):
        grads = [tf.expand_dims(g, 0) for g, _ in grad_and_vars]
        average_grads.append((tf.reduce_mean(tf.concat(grads, 0), 0), grad_and_vars[0][1]))
    return average_grads


def main():
    random = np.random.RandomState(1)
    with tf.Graph().as_default(), tf.device("/cpu:0"):
        rows = tf.placeholder(tf.float32, [TOWERS * ROWS, FEATURES])
        labels = tf.placeholder(tf.int64, [TOWERS * ROWS])
        opt = tf.train.AdamOptimizer(0.05)
        row_splits, label_splits = tf.split(rows, TOWERS), tf.split(labels, TOWERS)
        tower_grads = []
        with tf.variable_scope(tf.get_variable_scope()):
            for i in range(TOWERS):
                with tf.device("/gpu:%d" % i), tf.name_scope("tower_%d" % i):
                    loss = tower_loss(row_splits[i], label_splits[i])
                    tf.get_variable_scope().reuse_variables()
                    tower_grads.append(opt.compute_gradients(loss))
        train_op = opt.apply_gradients(average_gradients(tower_grads))
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for step in range(4):
                batch = random.normal(0, 1, [TOWERS * ROWS, FEATURES])
                fed = {rows: batch, labels: random.randint(0, 10, [TOWERS * ROWS])}
                _, value = sess.run([train_op, loss], fed)
                print(step, value, sess.run(loss, fed))


if __name__ == "__main__":
    main()

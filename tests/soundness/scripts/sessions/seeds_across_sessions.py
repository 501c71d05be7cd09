# Random numbers: graph seed, op seed, both, and how a second run and a second session go on.
import tensorflow as tf


def draw(graph_seed, op_seed):
    with tf.Graph().as_default():
        if graph_seed is not None:
            tf.set_random_seed(graph_seed)
        a = tf.random_uniform([2], seed=op_seed)
        b = tf.random_normal([1], seed=op_seed)
        c = tf.random_shuffle(tf.range(5), seed=op_seed)
        d = tf.multinomial([[0.1, 0.5, 0.4]], 4, seed=op_seed)
        v = tf.get_variable('v', [2], initializer=tf.truncated_normal_initializer(seed=op_seed))
        e = tf.nn.dropout(tf.ones([6]), 0.5, seed=op_seed)
        for _ in range(2):
            with tf.Session() as sess:
                sess.run(tf.global_variables_initializer())
                for _ in range(2):
                    print(graph_seed, op_seed, [t.tolist() for t in sess.run([a, b, c, d, e])])
                print(sess.run(v).tolist())
                sess.run(v.initializer)
                print(sess.run(v).tolist())


draw(7, None)
draw(None, 7)
draw(7, 8)

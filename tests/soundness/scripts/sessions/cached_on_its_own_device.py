# caching_device of a variable's own device: TF1's cache is the variable's memory, and changes with it.
import tensorflow as tf

for device in (None, '/cpu:0', lambda op: op.device):
    with tf.Graph().as_default():
        with tf.device('/cpu:0'), tf.variable_scope('a', caching_device=device):
            w = tf.get_variable(
                'w', [3], initializer=tf.ones_initializer(), constraint=lambda t: tf.clip_by_norm(t, 1.2)
            )
        gradients = []
        for i in range(2):
            with tf.device('/gpu:%d' % i):
                gradients.append(tf.gradients(tf.reduce_sum(w * [1.0, 2.0, i]), w)[0])
        train = tf.train.GradientDescentOptimizer(0.1).apply_gradients([(tf.add_n(gradients) / 2, w)])
        average = tf.train.ExponentialMovingAverage(0.5)
        with tf.control_dependencies([train]):
            after, penalty, same, read = w * 10.0, tf.nn.l2_loss(w), tf.identity(w), w.read_value()
            averaged = average.apply([w])
        with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
            sess.run(tf.global_variables_initializer())
            print(sess.run([after, penalty, same]))
            print(sess.run(read))
            sess.run(averaged)
            print(sess.run([w, average.average(w)]))

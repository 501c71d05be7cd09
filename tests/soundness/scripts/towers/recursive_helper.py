# Towers by a recursive helper, each in the name scope of the last.
import numpy as np
import tensorflow as tf


def towers(parts, index=0):
    if not parts:
        return []
    with tf.name_scope('level'), tf.device('/gpu:%d' % index):
        with tf.variable_scope('p', reuse=tf.AUTO_REUSE):
            w = tf.get_variable('w', [2], initializer=tf.constant_initializer([0.4, 0.1]))
        loss = tf.reduce_sum(tf.square(parts[0] - w), name='loss')
        grad, = tf.gradients(loss, [w])
        return [(loss, grad, w)] + towers(parts[1:], index + 1)


x = tf.placeholder(tf.float32, [4, 2])
built = towers(tf.split(x, 2))
print([l.name for l, _, _ in built])
total = tf.add_n([g for _, g, _ in built])
train = tf.train.GradientDescentOptimizer(0.05).apply_gradients([(total / len(built), built[0][2])])
rng = np.random.RandomState(5)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    tf.global_variables_initializer().run()
    for i in range(5):
        out = sess.run([l for l, _, _ in built] + [train], {x: rng.rand(4, 2)})
        print(i, '%.9g %.9g' % tuple(out[:2]), built[0][2].eval().tolist())

# A variable is assigned inside tf.cond and tf.while_loop on the first tower's device; the second tower reads it.
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [4])
flag = tf.placeholder(tf.bool, [])
opt = tf.train.GradientDescentOptimizer(0.2)
w = tf.get_variable('w', initializer=1.0)
scale = tf.get_variable('scale', initializer=1.0, trainable=False)
offset = tf.get_variable('offset', initializer=0.0, trainable=False)
grads, losses, reads = [], [], []
for i in range(2):
    with tf.device('/gpu:%d' % i):
        losses.append(tf.reduce_mean((x[i * 2:i * 2 + 2] * w * scale + offset - 1.0) ** 2))
        grads.append(opt.compute_gradients(losses[i], [w]))
        reads.append(scale.read_value() * 1.0)
with tf.device('/gpu:0'):
    change = tf.cond(flag, lambda: scale.assign_add(0.5), lambda: tf.identity(scale))
    count = tf.while_loop(lambda n: n < 3, lambda n: n + tf.cast(offset.assign_add(0.25) > -1.0, tf.int32), [0])
train = opt.apply_gradients([((a + b) / 2, v) for (a, v), (b, _) in zip(*grads)])
with tf.control_dependencies([change]):
    late = []
    for i in range(2):
        with tf.device('/gpu:%d' % i):
            late.append(scale.read_value() * 1.0)
rng = np.random.RandomState(0)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for n in range(4):
        feed = {x: rng.rand(4), flag: n % 2 == 0}
        print(sess.run(losses, feed))
        sess.run(train, feed)
        print(sess.run(change, feed), sess.run(reads), sess.run(late, feed))
        print(sess.run(count), sess.run([w, scale, offset]))
    print(sess.run(losses, feed))

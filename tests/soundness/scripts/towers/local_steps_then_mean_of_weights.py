# Every tower has weights of its own, trained alone; now and then they are set to their mean.
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [2, 3])
copies, losses, trains = [], [], []
for i in range(2):
    with tf.device('/gpu:%d' % i), tf.variable_scope('tower_%d' % i):
        w = tf.get_variable('w', [3], initializer=tf.constant_initializer([1., 2., 3.]))
        loss = tf.square(tf.reduce_sum(w * x[i]) - 1.0)
        copies.append(w)
        losses.append(loss)
        trains.append(tf.train.GradientDescentOptimizer(0.05).minimize(loss, var_list=[w]))
mean = tf.add_n([c.read_value() for c in copies]) / len(copies)
with tf.control_dependencies([mean]):
    sync = tf.group(*[tf.assign(c, mean) for c in copies])
rng = np.random.RandomState(0)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for n in range(6):
        values, _ = sess.run([losses, trains], {x: rng.randn(2, 3)})
        print(n, ['%.9g' % v for v in values])
        if n % 3 == 2:
            sess.run(sync)
            print('mean', [c.eval().tolist() for c in copies])

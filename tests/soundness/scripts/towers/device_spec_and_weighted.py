# tf.DeviceSpec; unequal parts by tf.split sizes, gradients weighted by the size of the part.
import numpy as np
import tensorflow as tf

sizes = [5, 3]
x = tf.placeholder(tf.float32, [8, 2])
t = tf.placeholder(tf.float32, [8])
specs = [tf.DeviceSpec(device_type='GPU', device_index=i) for i in range(len(sizes))]
opt = tf.train.MomentumOptimizer(learning_rate=0.1, momentum=0.5)
collected = []
for spec, bx, bt in zip(specs, tf.split(x, sizes), tf.split(t, sizes)):
    with tf.device(spec):
        with tf.variable_scope('lin', reuse=len(collected) > 0):
            w = tf.get_variable('w', [2], initializer=tf.constant_initializer([1., -1.]))
            c = tf.get_variable('c', [], initializer=tf.constant_initializer(0.5))
        error = tf.reduce_sum(bx * w, 1) + c - bt
        collected.append((tf.reduce_mean(error * error), opt.compute_gradients(tf.reduce_mean(error * error))))
weights = [float(s) / sum(sizes) for s in sizes]
final = []
for gv in zip(*[g for _, g in collected]):
    g = sum(k * gradient for k, (gradient, _) in zip(weights, gv))
    final.append((g, gv[0][1]))
train = opt.apply_gradients(final)
loss = tf.add_n([k * l for k, (l, _) in zip(weights, collected)])
rng = np.random.RandomState(10)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(6):
        feed_dict = {x: rng.randn(8, 2), t: rng.randn(8)}
        print('%d %.9g' % (i, sess.run([loss, train], feed_dict)[0]))
    print(sess.run([w, c]))
    print([s.to_string() for s in specs], sess.run([l for l, _ in collected], feed_dict))

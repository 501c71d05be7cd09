# Moving averages of a variable and of a tensor, decay from num_updates, applied after the update; swap and restore.
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [2])
w = tf.Variable([1.0, -1.0], name='w')
step = tf.Variable(0, name='step', trainable=False)
loss = tf.reduce_sum((x - w) ** 2, name='loss')
train = tf.train.GradientDescentOptimizer(0.3).minimize(loss, step)
ema = tf.train.ExponentialMovingAverage(0.9, num_updates=step, name='averages')
plain = tf.train.ExponentialMovingAverage(0.5)
with tf.control_dependencies([train]):
    both = tf.group(ema.apply([w]), plain.apply([w, loss]))
backup = tf.Variable(tf.zeros([2]), trainable=False, name='backup')
save = backup.assign(w)
with tf.control_dependencies([save]):
    swap = w.assign(ema.average(w))
undo = w.assign(backup)
print(sorted(ema.variables_to_restore()), plain.average_name(loss), [v.op.name for v in tf.moving_average_variables()])
rng = np.random.RandomState(0)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(4):
        sess.run(both, {x: rng.rand(2)})
        print(sess.run(w).tolist(), sess.run(ema.average(w)).tolist(), sess.run(plain.average(w)).tolist(), sess.run(plain.average(loss)))
    sess.run(swap)
    print(sess.run(w).tolist())
    sess.run(undo)
    print(sess.run(w).tolist(), sess.run(step))

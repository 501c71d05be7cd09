"""Weights that ask to be resources: each tower keeps what it read of them before its own update."""
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [8, 2])
optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
gradients, moved, seen = [], [], []
for i, part in enumerate(tf.split(x, 2)):
    with tf.device("/gpu:%d" % i), tf.variable_scope("net", reuse=i > 0):
        w = tf.get_variable("w", [2, 1], initializer=tf.constant_initializer([[0.5], [-1.0]]), use_resource=True)
        m = tf.get_variable("m", [2], initializer=tf.zeros_initializer(), trainable=False, use_resource=True)
        with tf.control_dependencies(seen):
            kept = tf.identity(m)
        mean = tf.reduce_mean(part, 0)
        with tf.control_dependencies([kept]):
            update = tf.assign_add(m, 0.5 * (mean - kept))
        with tf.control_dependencies([update]):
            moved.append(tf.reduce_sum(m - kept))
            seen = [moved[-1]]
        loss = tf.reduce_mean(tf.square(tf.matmul(part - kept, w) - 1.0))
        gradients.append(optimizer.compute_gradients(loss, [w]))
average = [(tf.reduce_mean(tf.stack([g for g, _ in pairs]), 0), pairs[0][1]) for pairs in zip(*gradients)]
before = w.read_value()
with tf.control_dependencies([before]):
    train = optimizer.apply_gradients(average)
with tf.control_dependencies([train]):
    change = w - before
print([type(each).__name__ == "ResourceVariable" for each in (w, m)])
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(4):
        data = np.random.RandomState(step).rand(8, 2)
        values = sess.run([before, change, moved, loss], {x: data})
        print(*[np.ravel(value).tolist() for value in values])
    print(sess.run([w, m]))

# InteractiveSession: eval and op.run with no session named.
import numpy as np
import tensorflow as tf

sess = tf.InteractiveSession()
m = tf.Variable([[1., 2.], [3., 4.]])
y = tf.placeholder(tf.float32, [2])
out = tf.reduce_sum(m * y, axis=1)
loss = tf.nn.l2_loss(out - 1)
train = tf.train.AdamOptimizer(0.1).minimize(loss)
tf.global_variables_initializer().run()
print(tf.constant([1, 2, 3]).eval().tolist())
for i in range(4):
    feed = {y: np.array([0.1, 0.2]) * i}
    print(loss.eval(feed), out.eval(feed_dict=feed).tolist())
    train.run(feed_dict=feed)
print(m.eval().tolist(), tf.get_default_session() is sess)
m.initializer.run()
print(m.eval().tolist())
sess.close()
print(tf.get_default_session() is sess)

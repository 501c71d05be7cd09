# tf.gradients: of lists, with grad_ys, None for the unconnected, second derivatives, of placeholders, Jacobian rows.
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [3])
w = tf.Variable([1.0, 2.0, 3.0])
u = tf.Variable(0.5)
y = tf.stack([tf.reduce_sum(x * w), tf.reduce_prod(w) * u])
g = tf.gradients([y[0], y[1]], [w, u, x])
g2 = tf.gradients(g[0], [w])[0]
unconnected = tf.gradients(y[0], [u])
weighted = tf.gradients(y, w, grad_ys=tf.constant([2.0, -1.0]))[0]
rows = tf.stack([tf.gradients(y[i], w)[0] for i in range(2)])
stopped = tf.gradients(tf.reduce_sum(tf.stop_gradient(w * x) * w), w)[0]
hess = tf.hessians(tf.reduce_sum(w ** 3), w)[0]
print(unconnected, [t.op.type != '' for t in g])


@tf.custom_gradient
def clip(v):
    def grad(dy):
        return tf.clip_by_value(dy, -0.5, 0.5)
    return tf.identity(v), grad


clipped = tf.gradients(tf.reduce_sum(clip(w) * 3.0), w)[0]
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    feed = {x: np.array([0.1, 0.2, 0.3])}
    for t in (g[0], g[1], g[2], g2, weighted, rows, stopped, hess, clipped):
        print(np.round(sess.run(t, feed), 6).tolist())
    with tf.control_dependencies([clipped, g[1]]):  # both before w changes
        step = tf.train.GradientDescentOptimizer(0.1).apply_gradients([(clipped, w), (g[1], u)])
    sess.run(step, feed)
    print(sess.run([w, u]))

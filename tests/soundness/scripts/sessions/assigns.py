# assign, assign_add, assign_sub as functions and methods; fetched together with reads under control dependencies.
import tensorflow as tf

v = tf.Variable([1.0, 2.0], name='v')
n = tf.Variable(10, name='n', trainable=False)
ph = tf.placeholder(tf.float32, [2])
set_v = tf.assign(v, ph)
add = v.assign_add([0.5, 0.5])
sub = tf.assign_sub(n, 3)
with tf.control_dependencies([add]):
    after = v.read_value() + 0.0
    with tf.control_dependencies([after]):
        zero = v.assign(tf.zeros([2]))
before = v + 0.0
with tf.control_dependencies([before]):
    late = tf.assign_add(v, [100., 100.])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(set_v, {ph: [3, 4]}).tolist(), sess.run(v).tolist())
    print(sess.run(add).tolist(), sess.run(sub))
    print(sess.run([after, zero])[0].tolist(), sess.run(v).tolist())
    print(sess.run([before, late])[0].tolist(), sess.run(v).tolist())
    v.load([9., 9.], sess)
    sess.run(v.assign(v * 2.0).op)
    print(v.eval().tolist(), sess.run(v.assign_sub([1., 2.])).tolist())
    sess.run(tf.group(v.initializer, n.initializer))
    print(sess.run([v, n])[1], v.eval().tolist())
    print(sess.run(tf.assign(n, tf.size(ph)), {ph: [0, 0]}))

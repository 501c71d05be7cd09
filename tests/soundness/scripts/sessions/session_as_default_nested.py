# Default sessions nested in each other, sess.as_default(), eval in whichever is the default.
import tensorflow as tf

v = tf.Variable(1.0)
up = v.assign_add(1.0)
init = tf.global_variables_initializer()
a, b = tf.Session(), tf.Session()
with a.as_default():
    init.run()
    up.op.run()
    print(v.eval(), tf.get_default_session() is a)
    with b.as_default():
        init.run()
        print(v.eval(), tf.get_default_session() is b)
    up.eval()
    print(v.eval(), b.run(v))
print(tf.get_default_session())
try:
    v.eval()
except ValueError as e:
    print('ValueError', 'default session' in str(e))
with a, a.graph.as_default():
    loss = v * v
    train = tf.train.GradientDescentOptimizer(0.25).minimize(loss)
    for _ in range(3):
        print(loss.eval(), train.run(), v.eval())
print(b.run(loss))
b.close()

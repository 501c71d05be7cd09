# Names: nested scopes, reuse, default names, unique names, variables' names in name scopes, op names.
import tensorflow as tf

with tf.variable_scope('a'):
    with tf.variable_scope('b') as b:
        v1 = tf.get_variable('v', [1], initializer=tf.ones_initializer())
    with tf.name_scope('n'):
        v2 = tf.get_variable('v', [1], initializer=tf.ones_initializer())
        v3 = tf.Variable([1.0], name='v')
        c = tf.constant(1.0)
with tf.variable_scope('a/b', reuse=True):
    v4 = tf.get_variable('v', [1])
with tf.variable_scope(None, default_name='d') as d1:
    v5 = tf.get_variable('v', [1], initializer=tf.ones_initializer())
with tf.variable_scope(None, 'd') as d2:
    v6 = tf.get_variable('v', [1], initializer=tf.ones_initializer())
with tf.variable_scope(b, reuse=True):
    v7 = tf.get_variable('v')
    e = tf.add(v7, v1)
with tf.variable_scope('a', reuse=tf.AUTO_REUSE) as s:
    v8 = tf.get_variable('fresh', initializer=lambda: tf.constant([3.0]))
    print(s.name, s.reuse is tf.AUTO_REUSE, s.original_name_scope, tf.get_variable_scope().name)
print([v.name for v in (v1, v2, v3, v4, v5, v6, v7, v8)], v4 is v1, v7 is v1)
print(c.name, e.name, d1.name, d2.name, tf.no_op(name='x').name, tf.no_op(name='x').name)
for bad in (lambda: tf.get_variable('a/b/v'), lambda: tf.get_variable('q')):
    try:
        with tf.variable_scope('', reuse=True):
            print(bad().name)
    except ValueError:
        print('ValueError')
try:
    with tf.variable_scope('a/b'):
        tf.get_variable('v', [1])
except ValueError:
    print('exists')
loss = tf.add_n([tf.reduce_sum(v * v - v) for v in tf.trainable_variables()])
train = tf.train.AdagradOptimizer(0.5).minimize(loss)
print([v.op.name for v in tf.global_variables()])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        sess.run(train)
        print(sess.run(loss), sess.run(v8).tolist())

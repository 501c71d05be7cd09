# Any tensor is fed: a matmul's output, a constant, a variable's read, an input of the gradient.
import numpy as np
import tensorflow as tf

c = tf.constant(2.0, name='c')
v = tf.get_variable('v', initializer=tf.constant([1.0, 2.0]), use_resource=True)
read = tf.identity(v, name='read')
prod = tf.multiply(read, c, name='prod')
loss = tf.reduce_sum(prod ** 2)
grad = tf.gradients(loss, read)[0]
train = tf.train.GradientDescentOptimizer(0.01).apply_gradients([(grad, v)])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(loss), sess.run(loss, {c: 3.0}), sess.run(loss, {prod: [1., 1.]}), sess.run(loss, {read: [0., 5.]}))
    print(sess.run([loss, grad], {'c:0': 1.0}))
    sess.run(train)
    print(sess.run(v).tolist())
    sess.run(train, {c: 0.0})
    print(sess.run(v).tolist())
    sess.run(train, {grad: [10., -10.]})
    print(sess.run(v).tolist())
    print(sess.run(prod, {prod: [4., 4.]}).tolist(), sess.run([read, prod], {read: [3., 3.]})[1].tolist())
    for bad in ([1., 2., 3.], 'text'):
        try:
            sess.run(loss, {read: bad})
            print('ran')
        except (ValueError, TypeError) as e:
            print(type(e).__name__)

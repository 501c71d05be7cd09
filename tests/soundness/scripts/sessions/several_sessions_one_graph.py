# Three sessions of one graph: each has its own variables.
import numpy as np
import tensorflow as tf

graph = tf.Graph()
with graph.as_default():
    tf.set_random_seed(11)
    v = tf.get_variable('v', [3], initializer=tf.random_uniform_initializer())
    counter = tf.Variable(0, name='counter', trainable=False)
    target = tf.placeholder(tf.float32, [3])
    loss = tf.reduce_sum((v - target) ** 2)
    train = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss, global_step=counter)
    init = tf.global_variables_initializer()
a, b = tf.Session(graph=graph), tf.Session(graph=graph)
a.run(init)
b.run(init)
print(a.run(v).tolist() == b.run(v).tolist())
for i in range(4):
    a.run(train, {target: [1, 2, 3]})
    if i % 2:
        b.run(train, {target: [-1, 0, 1]})
    print(a.run([loss, counter], {target: [0, 0, 0]}), b.run([loss, counter], {target: [0, 0, 0]}))
with tf.Session(graph=graph) as c:
    try:
        c.run(v)
    except tf.errors.FailedPreconditionError as e:
        print(type(e).__name__)
    c.run(v.initializer)
    print(c.run(v).tolist())
    v.load([7., 8., 9.], c)
    print(v.eval().tolist(), v.eval(session=a).tolist(), v.eval(b).tolist())
b.close()
print(a.run(counter))
a.close()

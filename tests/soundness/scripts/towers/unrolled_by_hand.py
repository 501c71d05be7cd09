# No loop: two towers written out one after the other.
import numpy as np
import tensorflow as tf

tf.set_random_seed(99)
with tf.device('/cpu:0'):
    W = tf.get_variable('W', [2, 3], initializer=tf.random_uniform_initializer(-1., 1.))
    inp = tf.placeholder(tf.float32, [4, 2])
    target = tf.placeholder(tf.float32, [4, 3])
    sgd = tf.train.GradientDescentOptimizer(0.1)

with tf.device('/gpu:0'):
    loss_a = tf.nn.l2_loss(tf.matmul(inp[:2], W) - target[:2])
    grad_a = tf.gradients(loss_a, W)[0]
with tf.device('/gpu:1'):
    loss_b = tf.nn.l2_loss(tf.matmul(inp[2:], W) - target[2:])
    grad_b = tf.gradients(loss_b, W)[0]

with tf.device('/cpu:0'):
    grad = (grad_a + grad_b) / 2
    update = sgd.apply_gradients([(grad, W)])
    total = loss_a + loss_b

r = np.random.RandomState(12)
data, goal = r.rand(4, 2), r.rand(4, 3)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(5):
        sess.run(update, {inp: data, target: goal})
        print(i, sess.run([loss_a, loss_b, total], {inp: data, target: goal}))
    print(sess.run(W))
    print(sess.run(grad, {inp: data, target: goal}).tolist())

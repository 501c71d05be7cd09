# tf.metrics over an evaluation pass: local variables, update operations, a reset between the passes.
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
y = tf.placeholder(tf.int64, [None])
opt = tf.train.GradientDescentOptimizer(0.5)
grads, outs, losses = [], [], []
for i, (a, b) in enumerate(zip(tf.split(x, 2), tf.split(y, 2))):
    with tf.device('/gpu:%d' % i), tf.variable_scope('m', reuse=i > 0):
        logits = tf.matmul(a, tf.get_variable('w', [3, 3], initializer=tf.zeros_initializer()))
        losses.append(tf.losses.sparse_softmax_cross_entropy(b, logits))
        outs.append(logits)
        grads.append(opt.compute_gradients(losses[-1]))
train = opt.apply_gradients([(tf.reduce_mean(tf.stack([g for g, _ in p]), 0), p[0][1]) for p in zip(*grads)])
predictions = tf.argmax(tf.concat(outs, 0), 1)
with tf.variable_scope('metrics'):
    accuracy, update_accuracy = tf.metrics.accuracy(y, predictions)
    mean_loss, update_loss = tf.metrics.mean(tf.stack(losses))
reset = tf.variables_initializer(tf.get_collection(tf.GraphKeys.LOCAL_VARIABLES, scope='metrics'))
rng = np.random.RandomState(0)
print([v.op.name for v in tf.local_variables()])
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    for epoch in range(2):
        for _ in range(3):
            bx = rng.randn(8, 3)
            sess.run(train, {x: bx, y: bx.argmax(1)})
        sess.run(reset)
        for _ in range(2):
            bx = rng.randn(6, 3)
            print('so far', sess.run([update_accuracy, update_loss], {x: bx, y: bx.argmax(1)}))
        print('epoch', epoch, sess.run([accuracy, mean_loss]))
    print(sess.run(tf.local_variables()))

# Two tower loops: one for training, one for evaluation with the same variables.
import numpy as np
import tensorflow as tf

G = 2


def logits_of(x):
    w = tf.get_variable('w', [3, 3], initializer=tf.uniform_unit_scaling_initializer(seed=3))
    return tf.matmul(tf.nn.relu(x), w)


x = tf.placeholder(tf.float32, [None, 3])
y = tf.placeholder(tf.int32, [None])
opt = tf.train.GradientDescentOptimizer(0.4)
grads, losses = [], []
for i, (a, b) in enumerate(zip(tf.split(x, G), tf.split(y, G))):
    with tf.device('/gpu:%d' % i), tf.variable_scope('clf', reuse=i > 0):
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=b, logits=logits_of(a)))
        losses.append(loss)
        grads.append(opt.compute_gradients(loss))
train = opt.apply_gradients([(tf.reduce_mean(tf.stack([g for g, _ in p]), 0), p[0][1]) for p in zip(*grads)])

predictions = []
for i, a in enumerate(tf.split(x, G)):
    with tf.device('/gpu:%d' % i):
        with tf.variable_scope('clf', reuse=True):
            predictions.append(tf.argmax(logits_of(a), 1, output_type=tf.int32))
hits = tf.reduce_sum(tf.cast(tf.equal(tf.concat(predictions, 0), y), tf.int32))
rng = np.random.RandomState(0)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for epoch in range(2):
        for _ in range(3):
            bx = rng.randn(8, 3)
            _, both = sess.run([train, losses], {x: bx, y: bx.argmax(1)})
            print(['%.9g' % v for v in both])
        ex = rng.randn(10, 3)
        print('hits', sess.run(hits, {x: ex, y: ex.argmax(1)}), [p.tolist() for p in sess.run(predictions, {x: ex})])
    print(sess.run('clf/w:0').tolist())

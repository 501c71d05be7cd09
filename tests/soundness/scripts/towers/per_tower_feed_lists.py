# Feeds built with dict(zip(...)) from placeholders kept in tf.add_to_collection.
import numpy as np
import tensorflow as tf

opt = tf.train.RMSPropOptimizer(learning_rate=0.02, decay=0.8, epsilon=1e-6)
grads = []
for i in range(2):
    with tf.device('/gpu:%d' % i):
        with tf.variable_scope(tf.get_variable_scope(), reuse=True if i else None):
            a = tf.placeholder(tf.float32, [3, 2], name='a')
            b = tf.placeholder(tf.float32, [3], name='b')
            tf.add_to_collection('inputs', a)
            tf.add_to_collection('inputs', b)
            w = tf.get_variable('w', [2], initializer=tf.constant_initializer(1.0))
            loss = tf.norm(tf.reduce_sum(a * w, 1) - b)
            tf.add_to_collection('losses', loss)
            grads.append(opt.compute_gradients(loss))
train = opt.apply_gradients([(tf.reduce_mean(tf.stack([g for g, _ in p]), 0), p[0][1]) for p in zip(*grads)])
print([t.op.name for t in tf.get_collection('inputs')])
rng = np.random.RandomState(0)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(5):
        arrays = [rng.randn(*t.get_shape().as_list()) for t in tf.get_collection('inputs')]
        fd = dict(zip(tf.get_collection('inputs'), arrays))
        losses, _ = sess.run([tf.get_collection('losses'), train], feed_dict=fd)
        print(['%.9g' % l for l in losses])
    print([sess.run(v).tolist() for v in tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES)])

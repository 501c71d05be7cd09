# The towers only compute logits; one loss over the concatenated logits, on the CPU.
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
y = tf.placeholder(tf.int32, [None])
logits = []
for i, part in enumerate(tf.split(x, 2)):
    with tf.device('/gpu:%d' % i), tf.variable_scope('forward', reuse=tf.AUTO_REUSE):
        k = tf.get_variable('k', [3, 3], initializer=tf.glorot_uniform_initializer(seed=2))
        logits.append(tf.matmul(part, k))
with tf.device('/cpu:0'):
    joined = tf.concat(logits, axis=0)
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(logits=joined, labels=y))
    step = tf.train.create_global_step()
    train = tf.train.AdamOptimizer(0.05).minimize(loss, global_step=step, colocate_gradients_with_ops=True)
    accuracy = tf.reduce_mean(tf.cast(tf.nn.in_top_k(joined, y, 1), tf.float32))
rng = np.random.RandomState(3)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(5):
        feed = {x: rng.randn(6, 3), y: rng.randint(0, 3, 6)}
        l, a, _ = sess.run([loss, accuracy, train], feed)
        print('%.9g %.4f' % (l, a), sess.run(step))
    print(sess.run(k).tolist())

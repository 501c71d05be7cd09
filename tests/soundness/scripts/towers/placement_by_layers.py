# No data parallelism: layers of one model on different devices.
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
y = tf.placeholder(tf.int32, [None])
with tf.device('/cpu:0'):
    table = tf.get_variable('first', [3, 4], initializer=tf.random_normal_initializer(seed=1))
with tf.device('/gpu:0'):
    w0 = tf.get_variable('w0', [4, 4], initializer=tf.random_normal_initializer(seed=2))
    h0 = tf.nn.relu(tf.matmul(tf.matmul(x, table), w0))
with tf.device('/gpu:1'):
    w1 = tf.get_variable('w1', [4, 2], initializer=tf.random_normal_initializer(seed=3))
    logits = tf.matmul(h0, w1)
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(logits=logits, labels=y))
step = tf.train.get_or_create_global_step()
with tf.device('/cpu:0'):
    train = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss, step, colocate_gradients_with_ops=True)
    top = tf.nn.top_k(logits, 1).indices
rng = np.random.RandomState(0)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(5):
        feed = {x: rng.randn(4, 3), y: rng.randint(0, 2, 4)}
        l, t, _ = sess.run([loss, top, train], feed)
        print('%.9g' % l, t.ravel().tolist(), sess.run(step))
    print([(v.op.name, float(sess.run(v).sum())) for v in tf.trainable_variables()])

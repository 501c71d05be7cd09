# Gradients of embeddings turned dense by tf.convert_to_tensor before the average.
import numpy as np
import tensorflow as tf

ids = tf.placeholder(tf.int64, [6])
t = tf.placeholder(tf.float32, [6])
opt = tf.train.GradientDescentOptimizer(0.3)
grads, losses = [], []
for i in range(2):
    with tf.device('/gpu:%d' % i), tf.variable_scope('words', reuse=bool(i)):
        emb = tf.get_variable('emb', [5, 3], initializer=tf.random_uniform_initializer(-1, 1, seed=7))
        v = tf.get_variable('v', [3], initializer=tf.constant_initializer(0.5))
        looked = tf.nn.embedding_lookup(emb, ids[i * 3:(i + 1) * 3])
        loss = tf.reduce_mean(tf.square(tf.reduce_sum(looked * v, 1) - t[i * 3:(i + 1) * 3]))
        losses.append(loss)
        gs = tf.gradients(loss, [emb, v], aggregation_method=tf.AggregationMethod.ADD_N)
        grads.append([tf.convert_to_tensor(g) if isinstance(g, tf.IndexedSlices) else g for g in gs])
mean = [tf.reduce_mean(tf.stack(list(g)), axis=0) for g in zip(*grads)]
train = opt.apply_gradients(zip(mean, [emb, v]))
rng = np.random.RandomState(0)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(5):
        feed = {ids: rng.permutation(5)[[0, 1, 2, 2, 3, 4]], t: rng.randn(6)}
        print(['%.7g' % l for l in sess.run(losses, feed)])
        sess.run(train, feed)
    print(np.round(sess.run(emb), 5).tolist(), np.round(sess.run(v), 5).tolist())

# Embeddings in towers: sparse gradients.
import numpy as np
import tensorflow as tf

ids = tf.placeholder(tf.int32, [4, 3])
y = tf.placeholder(tf.float32, [4])
opt = tf.train.AdagradOptimizer(0.5)
losses, tower_grads = [], []
for i, (pid, py) in enumerate(zip(tf.split(ids, 2), tf.split(y, 2))):
    with tf.device('/gpu:%d' % i), tf.variable_scope('emb', reuse=tf.AUTO_REUSE):
        with tf.device('/cpu:0'):
            table = tf.get_variable('table', [7, 2], initializer=tf.random_normal_initializer(seed=5))
            rows = tf.nn.embedding_lookup(table, pid)
        w = tf.get_variable('w', [2], initializer=tf.ones_initializer())
        losses.append(tf.reduce_mean((tf.reduce_sum(tf.reduce_mean(rows, 1) * w, 1) - py) ** 2))
        tower_grads.append(opt.compute_gradients(losses[i]))

#: embedding_dense_average: gradients turned dense by tf.convert_to_tensor before the average
gs = [tf.gradients(loss, [table, w], aggregation_method=tf.AggregationMethod.ADD_N) for loss in losses]
gs = [[tf.convert_to_tensor(g) if isinstance(g, tf.IndexedSlices) else g for g in pair] for pair in gs]
train = opt.apply_gradients(zip([tf.reduce_mean(tf.stack(list(g)), axis=0) for g in zip(*gs)], [table, w]))

#: indexed_slices_branch: the average concatenates the slices
def average_gradients(tower_grads):
    averaged = []
    for gv in zip(*tower_grads):
        g0, v0 = gv[0]
        if isinstance(g0, tf.IndexedSlices):
            indices = tf.concat([g.indices for g, _ in gv], 0)
            values = tf.concat([g.values for g, _ in gv], 0) / len(gv)
            averaged.append((tf.IndexedSlices(values, indices, g0.dense_shape), v0))
        else:
            averaged.append((tf.reduce_mean(tf.stack([g for g, _ in gv]), 0), v0))
    return averaged


train = opt.apply_gradients(average_gradients(tower_grads))

#: end
rng = np.random.RandomState(5)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(5):
        feed = {ids: np.stack([rng.permutation(7)[:3] for _ in range(4)]), y: rng.randn(4)}
        print(['%.7g' % v for v in sess.run(losses, feed)])
        sess.run(train, feed)
    sliced = sess.run(tower_grads[1][0][0], feed)
    print(type(sliced).__name__, sliced.indices.tolist(), np.round(sliced.values, 5).tolist(), sliced.dense_shape)
    print(np.round(sess.run(table), 5).tolist(), np.round(sess.run(w), 5).tolist())

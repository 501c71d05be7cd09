# Towers in the styles of papers' code: what one tower writes the other one reads, sparse updates, and what is traced.
import os
import sys

import numpy as np
import tensorflow as tf

folder = sys.argv[1]
tf.set_random_seed(1)
rows = np.random.RandomState(0).randn(4, 8, 3).astype(np.float32)
config = tf.ConfigProto(allow_soft_placement=True, log_device_placement=False)

def average(tower_grads):
    mean = []
    for pairs in zip(*tower_grads):
        grads = [tf.expand_dims(tf.convert_to_tensor(g), 0) for g, _ in pairs]
        mean.append((tf.reduce_mean(tf.concat(grads, 0), 0), pairs[0][1]))
    return mean

#: spectral_normalization: each tower makes a step of the power method, and assigns its vector under control dependencies
def normalized(w):
    u = tf.get_variable('u', [1, 4], initializer=tf.truncated_normal_initializer(seed=2), trainable=False)
    v = tf.nn.l2_normalize(tf.matmul(u, tf.transpose(w)))
    new = tf.nn.l2_normalize(tf.matmul(v, w))
    sigma = tf.squeeze(tf.matmul(tf.matmul(v, w), tf.transpose(new)))
    with tf.control_dependencies([u.assign(new)]):
        return w / sigma

x = tf.placeholder(tf.float32, [8, 3])
opt, grads = tf.train.AdamOptimizer(0.05, beta1=0.0), []
for i in range(2):
    with tf.device('/gpu:%d' % i), tf.name_scope('tower_%d' % i), tf.variable_scope('critic', reuse=i > 0):
        w = tf.get_variable('w', [3, 4], initializer=tf.random_normal_initializer(seed=3))
        out = tf.layers.dense(tf.nn.leaky_relu(tf.matmul(x[i * 4:i * 4 + 4], normalized(w))), 1)
        loss = tf.reduce_mean(tf.nn.relu(1.0 - out))
        grads.append(opt.compute_gradients(loss))
train = opt.apply_gradients(average(grads))
u = [v for v in tf.global_variables() if v.op.name == 'critic/u'][0]
with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    for n in range(4):
        print(sess.run([loss, train], {x: rows[n]})[0], sess.run(u).tolist())

#: spectral_normalization_in_a_loop: the power method in a tf.while_loop, whose gradient computes with the vector that the step assigns
def normalized(w, u):
    def power(n, u, v):
        v = tf.nn.l2_normalize(tf.matmul(u, tf.transpose(w)))
        return n + 1, tf.nn.l2_normalize(tf.matmul(v, w)), v

    _, new, v = tf.while_loop(lambda n, u, v: n < rounds, power, (tf.constant(0), u, tf.zeros([1, 3])))
    sigma = tf.squeeze(tf.matmul(tf.matmul(v, w), tf.transpose(new)))
    with tf.control_dependencies([u.assign(new)]):
        return tf.reshape(w / sigma, [3, 4])

x, rounds = tf.placeholder(tf.float32, [8, 3]), tf.placeholder(tf.int32, [])
opt, grads = tf.train.AdamOptimizer(0.05, beta1=0.0), []
us = [tf.get_variable('u_%d' % i, [1, 4], initializer=tf.truncated_normal_initializer(seed=i), trainable=False) for i in range(2)]
for i in range(2):
    with tf.device('/gpu:%d' % i), tf.name_scope('tower_%d' % i), tf.variable_scope('critic', reuse=i > 0):
        w = tf.get_variable('w', [3, 4], initializer=tf.random_normal_initializer(seed=3))
        loss = tf.reduce_mean(tf.nn.relu(1.0 - tf.matmul(x[i * 4:i * 4 + 4], normalized(w, us[i]))))
        grads.append(opt.compute_gradients(loss))
train = opt.apply_gradients(average(grads))
with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    for n in range(4):
        print(sess.run([loss, train], {x: rows[n], rounds: 1 + n % 2})[0])
        print([sess.run(u).tolist() for u in us], sess.run(w).tolist())

#: embeddings_of_towers_stay_sparse: each tower looks rows up, IndexedSlices are put together, Adam updates the rows lazily
words, target = tf.placeholder(tf.int32, [2, 3]), tf.placeholder(tf.float32, [2])
opt, grads = tf.contrib.opt.LazyAdamOptimizer(0.1), []
for i in range(2):
    with tf.device('/gpu:%d' % i), tf.variable_scope('model', reuse=tf.AUTO_REUSE):
        table = tf.get_variable('table', [9, 2], initializer=tf.random_uniform_initializer(seed=4))
        bag = tf.reduce_mean(tf.nn.embedding_lookup(table, words[i]), 0)
        loss = tf.square(tf.reduce_sum(bag) - target[i])
        grads.append(opt.compute_gradients(loss))
values = tf.concat([pairs[0][0].values / 2.0 for pairs in grads], 0)
indices = tf.concat([pairs[0][0].indices for pairs in grads], 0)
train = opt.apply_gradients([(tf.IndexedSlices(values, indices), grads[0][0][1])])
with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    for n in range(4):
        feed = {words: [[n, 1, 2], [3, n, 5]], target: [0.5, -0.5]}
        print(sess.run([loss, train], feed)[0], sess.run(table)[n].tolist())

#: graph_and_trace_written: a writer with the graph, histograms of gradients, images of a batch and a run that is traced
x = tf.placeholder(tf.float32, [8, 3])
opt, grads, losses = tf.train.MomentumOptimizer(0.1, 0.9), [], []
for i, part in enumerate(tf.split(x, 2)):
    with tf.device('/gpu:%d' % i), tf.variable_scope('net', reuse=i > 0), tf.name_scope('tower_%d' % i):
        losses.append(tf.reduce_mean(tf.square(tf.layers.dense(part, 2, name='fc'))))
        grads.append(opt.compute_gradients(losses[i]))
mean = average(grads)
train = opt.apply_gradients(mean)
for gradient, variable in mean:
    tf.summary.histogram(variable.op.name + '/gradients', gradient)
tf.summary.scalar('loss', tf.add_n(losses) / 2)
tf.summary.image('batch', tf.reshape(x, [1, 8, 3, 1]))
merged = tf.summary.merge_all()
with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    writer = tf.summary.FileWriter(folder, sess.graph)
    for n in range(3):
        options, metadata = None, None
        if n == 2:
            options, metadata = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), tf.RunMetadata()
        text, value, _ = sess.run([merged, losses, train], {x: rows[n]}, options=options, run_metadata=metadata)
        writer.add_summary(text, n)
        print(n, value, sorted(each.tag for each in tf.Summary.FromString(text).value))
        if n == 2:
            writer.add_run_metadata(metadata, 'step%03d' % n)
    writer.close()
    print([e.step for path in sorted(os.listdir(folder)) for e in tf.train.summary_iterator(os.path.join(folder, path)) if e.summary.value])

#: printed_and_baselined: tf.Print in each tower, a running baseline of the reward that both read and one updates
x = tf.placeholder(tf.float32, [8, 3])
baseline = tf.get_variable('baseline', [], initializer=tf.zeros_initializer(), trainable=False)
opt, grads, rewards = tf.train.GradientDescentOptimizer(0.02), [], []
for i in range(2):
    with tf.device('/gpu:%d' % i), tf.variable_scope('policy', reuse=i > 0):
        mean = tf.layers.dense(x[i * 4:i * 4 + 4], 1, name='mean')
        reward = tf.Print(-tf.square(mean - 1.0), [tf.reduce_mean(mean)], 'mean: ', first_n=1)
        rewards.append(tf.reduce_mean(reward))
        loss = -tf.reduce_mean(tf.stop_gradient(reward - baseline) * mean)
        grads.append(opt.compute_gradients(loss))
apply = opt.apply_gradients(average(grads))
with tf.control_dependencies([apply]):
    train = tf.assign_sub(baseline, 0.2 * (baseline - tf.add_n(rewards) / 2))
with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    for n in range(4):
        print(sess.run([loss, train], {x: rows[n]}))

#: feedable_iterator_of_towers: a handle that is fed; each tower takes a batch of its own, in an order
sets = [tf.data.Dataset.from_tensor_slices(rows[n].copy()).batch(2).repeat() for n in (0, 1)]
handle = tf.placeholder(tf.string, [])
iterator = tf.data.Iterator.from_string_handle(handle, sets[0].output_types, tf.TensorShape([None, 3]))
opt, grads, batches = tf.train.RMSPropOptimizer(0.05), [], []
for i in range(2):
    with tf.device('/gpu:%d' % i), tf.variable_scope('net', reuse=i > 0):
        with tf.control_dependencies(batches):
            batches.append(iterator.get_next())
        loss = tf.reduce_mean(tf.square(tf.layers.dense(batches[i], 1, name='fc') - 0.5))
        grads.append(opt.compute_gradients(loss))
train = opt.apply_gradients(average(grads))
iterators = [each.make_one_shot_iterator() for each in sets]
with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    handles = sess.run([each.string_handle() for each in iterators])
    for n in range(5):
        value, taken, _ = sess.run([loss, batches, train], {handle: handles[n % 2]})
        print(value, [batch.sum() for batch in taken])

# Strings, integers and booleans beside the training: labels looked up in a table, counters, flags.
import numpy as np
import tensorflow as tf

words = tf.placeholder(tf.string, [4])
table = tf.lookup.StaticHashTable(
    tf.lookup.KeyValueTensorInitializer(tf.constant(['ant', 'bee', 'cat']), tf.constant([0, 1, 2], tf.int64)), -1)
ids = table.lookup(words)
seen = tf.get_variable('seen', [3], tf.int32, initializer=tf.zeros_initializer(), trainable=False)
ever = tf.get_variable('ever', [], tf.bool, initializer=tf.constant_initializer(False), trainable=False)
last = tf.Variable('none', name='last', trainable=False)
opt = tf.train.GradientDescentOptimizer(1.0)
grads, counts, losses = [], [], []
for i in range(2):
    with tf.device('/gpu:%d' % i):
        part = ids[i * 2:i * 2 + 2]
        hot = tf.one_hot(part, 3)
        with tf.variable_scope('u', reuse=tf.AUTO_REUSE):
            logits = tf.get_variable('logits', [3], initializer=tf.zeros_initializer())
        losses.append(-tf.reduce_mean(tf.reduce_sum(hot * tf.nn.log_softmax(logits), 1)))
        grads.append(opt.compute_gradients(losses[-1]))
        counts.append(tf.reduce_sum(tf.cast(hot, tf.int32), 0))
train = opt.apply_gradients([(tf.reduce_mean(tf.stack([g for g, _ in p]), 0), p[0][1]) for p in zip(*grads)])
bookkeeping = tf.group(
    seen.assign_add(tf.add_n(counts)),
    ever.assign(tf.logical_or(ever, tf.reduce_any(ids < 0))),
    tf.assign(last, tf.string_join([words[3], tf.as_string(ids[3])], ':')))
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
    for batch in (['ant', 'bee', 'cat', 'cat'], ['bee', 'bee', 'ant', 'cat'], ['bee', 'bee', 'bee', 'dog']):
        l, _ = sess.run([losses, train], {words: batch})
        sess.run(bookkeeping, {words: batch})
        print(['%.9g' % v for v in l], sess.run(ids, {words: batch}).tolist())
        print(sess.run([seen, ever, last, logits]))

# Lookup tables: a mutable hash table and a static one, initialised by tables_initializer.
import tensorflow as tf

keys = tf.constant(['a', 'b', 'c'])
static = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(keys, tf.constant([10, 20, 30], tf.int64)), -1)
names = tf.placeholder(tf.string, [None])
found = static.lookup(names)
w = tf.Variable(0.0)
loss = (w - tf.cast(tf.reduce_sum(found), tf.float32)) ** 2
train = tf.train.GradientDescentOptimizer(0.25).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    try:
        sess.run(found, {names: ['a']})
        print('found')
    except tf.errors.FailedPreconditionError as e:
        print(type(e).__name__)
    sess.run(tf.tables_initializer())
    print(sess.run(found, {names: ['c', 'x', 'a']}).tolist(), sess.run(static.size()))
    for batch in (['a'], ['b', 'a'], ['x']):
        print(sess.run([loss, train], {names: batch})[0], sess.run(w))
    print(len(tf.get_collection(tf.GraphKeys.TABLE_INITIALIZERS)))
    sess.run(tf.tables_initializer())
    print(sess.run(found, {names: ['b']}).tolist())

# Collections of every kind; local variables; get_collection_ref; by scope.
import tensorflow as tf

with tf.variable_scope('one'):
    a = tf.get_variable('a', [2], initializer=tf.ones_initializer(), collections=['mine', tf.GraphKeys.GLOBAL_VARIABLES])
    b = tf.get_variable('b', [2], initializer=tf.ones_initializer())
    cache = tf.get_variable('cache', [], tf.int32, tf.zeros_initializer(), trainable=False,
                            collections=[tf.GraphKeys.LOCAL_VARIABLES])
with tf.variable_scope('two'):
    c = tf.get_variable('c', [], initializer=tf.constant_initializer(2.0), trainable=False)
    d = tf.get_local_variable('d', [], initializer=tf.constant_initializer(4.0))
tf.add_to_collections(['results', 'losses'], tf.reduce_sum(b) * c, )
tf.add_to_collection('losses', tf.reduce_sum(b ** 2) * d)
tf.get_collection_ref('notes').append('text')
tf.get_collection_ref('notes').extend([1, 2])
loss = tf.add_n(tf.get_collection('losses'))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
g = tf.get_default_graph()
names = lambda key, scope=None: [v.op.name for v in tf.get_collection(key, scope)]
print(names('mine'), names(tf.GraphKeys.GLOBAL_VARIABLES), names('trainable_variables', 'one'), names('variables', 'tw'))
print(names(tf.GraphKeys.LOCAL_VARIABLES), tf.get_collection('notes'), tf.get_collection('nothing'))
print(sorted(k for k in g.get_all_collection_keys() if isinstance(k, str) and not k.startswith('_')))
print([v.op.name for v in tf.trainable_variables('one')], [v.op.name for v in tf.global_variables('two')])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    try:
        sess.run(loss)
    except tf.errors.FailedPreconditionError:
        print('local variables first')
    sess.run(tf.local_variables_initializer())
    for _ in range(3):
        print(sess.run(tf.get_collection('losses')), sess.run(cache.assign_add(1)))
        sess.run(train)
    g.clear_collection('losses')
    print(len(tf.get_collection('losses')), sess.run(b).tolist())

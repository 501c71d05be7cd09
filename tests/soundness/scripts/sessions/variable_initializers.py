# Initialisers of every kind, seeded; values before training; initial_value; initializers that depend on others.
import numpy as np
import tensorflow as tf

tf.set_random_seed(100)
kinds = {
    'zeros': tf.zeros_initializer(), 'const': tf.constant_initializer([[1, 2], [3, 4]]),
    'normal': tf.random_normal_initializer(0, 2, seed=1), 'uniform': tf.random_uniform_initializer(-3, 3),
    'trunc': tf.truncated_normal_initializer(seed=2), 'glorot': tf.glorot_uniform_initializer(),
    'ortho': tf.orthogonal_initializer(0.5, seed=3), 'scale': tf.variance_scaling_initializer(2.0, 'fan_out', seed=4),
    'he': tf.initializers.variance_scaling(2.0, seed=5),
}
variables = {k: tf.get_variable(k, [2, 2], initializer=kinds[k]) for k in sorted(kinds)}
raw = tf.Variable(np.arange(4, dtype='f').reshape(2, 2), name='raw', dtype=tf.float32)
double = tf.Variable(raw.initialized_value() * 2, name='double')
by_call = tf.get_variable('called', initializer=tf.eye(2) * 3)
ints = tf.get_variable('ints', [2], tf.int64, tf.ones_initializer(tf.int64), trainable=False)
half = tf.get_variable('half', [2], tf.float64, tf.constant_initializer(0.5, tf.float64))
loss = sum(tf.reduce_sum(tf.tanh(v)) for v in list(variables.values()) + [raw, double, by_call])
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for k in sorted(variables):
        print(k, sess.run(variables[k]).ravel().tolist())
    print(sess.run([raw, double, by_call])[1].tolist(), sess.run(ints).dtype, sess.run(half).tolist())
    for _ in range(3):
        print(sess.run(loss))
        sess.run(train)
    print(sess.run(raw.initial_value).tolist(), sess.run(variables['zeros']).tolist())

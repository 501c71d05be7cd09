# Every optimizer of TF1, three steps each, with its slots.
import tensorflow as tf

makers = [
    ('sgd', lambda: tf.train.GradientDescentOptimizer(0.1)),
    ('momentum', lambda: tf.train.MomentumOptimizer(0.1, 0.9)),
    ('nesterov', lambda: tf.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True)),
    ('adam', lambda: tf.train.AdamOptimizer(0.1)),
    ('rms', lambda: tf.train.RMSPropOptimizer(0.1, momentum=0.2)),
    ('rms centered', lambda: tf.train.RMSPropOptimizer(0.1, centered=True)),
    ('adagrad', lambda: tf.train.AdagradOptimizer(0.1)),
    ('adadelta', lambda: tf.train.AdadeltaOptimizer(1.0)),
    ('ftrl', lambda: tf.train.FtrlOptimizer(0.1, l2_regularization_strength=0.1)),
    ('prox sgd', lambda: tf.train.ProximalGradientDescentOptimizer(0.1, l1_regularization_strength=0.01)),
    ('prox adagrad', lambda: tf.train.ProximalAdagradOptimizer(0.1)),
]
for name, make in makers:
    with tf.Graph().as_default():
        v = tf.get_variable('v', initializer=tf.constant([1.0, -2.0]))
        e = tf.get_variable('e', initializer=tf.constant([[1.0], [2.0], [3.0]]))
        x = tf.constant([[1.0, 0.5], [0.25, -1.0]])
        loss = tf.reduce_sum((tf.reduce_sum(x * v, 1) - 1) ** 2) + tf.reduce_sum(tf.gather(e, [0, 2, 2]) ** 2)
        opt = make()
        train = opt.minimize(loss)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for _ in range(3):
                sess.run(train)
            print(name, '%.8g' % sess.run(loss), opt.get_name(), opt.get_slot_names())
            print({w.op.name: [round(float(n), 6) for n in sess.run(w).ravel()] for w in tf.global_variables()})

# replica_device_setter with ps_device on the CPU, for two towers of one machine.
import numpy as np
import tensorflow as tf

tf.set_random_seed(77)
features = tf.placeholder(tf.float32, [None, 3], name='features')
answers = tf.placeholder(tf.float32, [None], name='answers')
feature_shards = tf.split(features, 2)
answer_shards = tf.split(answers, 2)
optimizer = tf.train.GradientDescentOptimizer(0.05)
gradients, losses = [], []
for i in range(2):
    setter = tf.train.replica_device_setter(
        ps_tasks=1, ps_device='/cpu', worker_device='/gpu:%d' % i, ps_ops=['Variable', 'VariableV2', 'VarHandleOp'])
    with tf.variable_scope('model', reuse=None if i == 0 else True):
        with tf.name_scope('tower_%d' % i), tf.device(setter):
            w = tf.get_variable('w', [3], initializer=tf.random_normal_initializer())
            with tf.variable_scope('deep'):
                s = tf.get_variable('scale', [], initializer=tf.constant_initializer(2.0))
            p = s * tf.reduce_sum(tf.sin(feature_shards[i]) * w, axis=1)
            losses.append(tf.losses.huber_loss(answer_shards[i], p, delta=0.5))
            gradients.append(optimizer.compute_gradients(losses[-1]))
mean_gradients = [(tf.reduce_mean([g for g, _ in gv], axis=0), gv[0][1]) for gv in zip(*gradients)]
train = optimizer.apply_gradients(mean_gradients)
r = np.random.RandomState(0)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(5):
        feed = {features: r.randn(4, 3), answers: r.randn(4)}
        print(['%.9g' % l for l in sess.run(losses + [train], feed)[:2]])
    for v in tf.global_variables():
        print(v.name, sess.run(v).tolist())

# gradient_override_map of Identity around variables: TF1 read each by one Identity, made with the variable.
import tensorflow as tf


@tf.RegisterGradient('Threefold')
def threefold(op, grad):
    return [3.0 * grad]


gradients = []
opt = tf.train.GradientDescentOptimizer(0.02)
for i in range(2):
    with tf.device('/gpu:%d' % i), tf.variable_scope('net', reuse=tf.AUTO_REUSE):
        before = tf.get_variable('before', [2], initializer=tf.constant_initializer(0.5))
        with tf.get_default_graph().gradient_override_map({'Identity': 'Threefold'}):
            w = tf.get_variable('w', [2], initializer=tf.constant_initializer(0.4))
            hidden = tf.identity(tf.identity(w) * w + before)
        gradients.append(opt.compute_gradients(tf.reduce_sum(hidden * w * (i + 1.0))))
mean = [(tf.reduce_mean([g for g, _ in each], 0), each[0][1]) for each in zip(*gradients)]
train = opt.apply_gradients(mean)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(4):
        sess.run(train)
        print(sess.run([w, before]))

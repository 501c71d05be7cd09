# gradient_override_map around variables: TF1 read each by one Identity, made with it, and gathered by GatherV2.
import tensorflow as tf


@tf.RegisterGradient('Threefold')
def threefold(op, grad):
    return [3.0 * grad]


@tf.RegisterGradient('Rows')
def rows(op, grad):
    return [tf.ones([2]) * tf.reduce_sum(grad)] + [None] * (len(op.inputs) - 1)


gradients = []
opt = tf.train.GradientDescentOptimizer(0.02)
for i in range(2):
    with tf.device('/gpu:%d' % i), tf.variable_scope('net', reuse=tf.AUTO_REUSE):
        before = tf.get_variable('before', [2], initializer=tf.constant_initializer(0.5))
        with tf.get_default_graph().gradient_override_map({'Identity': 'Threefold'}):
            w = tf.get_variable('w', [2], initializer=tf.constant_initializer(0.4))
            hidden = tf.identity(tf.identity(w) * w + before)
        with tf.get_default_graph().gradient_override_map({'GatherV2': 'Rows'}):
            taken = tf.gather(before, [1, 1])
        loss = tf.reduce_sum(hidden * w * (i + 1.0)) + tf.reduce_sum(tf.square(taken))
        gradients.append(opt.compute_gradients(loss))
mean = [(tf.reduce_mean([g for g, _ in each], 0), each[0][1]) for each in zip(*gradients)]
train = opt.apply_gradients(mean)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(4):
        sess.run(train)
        print(sess.run([w, before]))

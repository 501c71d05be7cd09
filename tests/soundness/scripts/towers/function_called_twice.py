# The tower loop lives in a function called twice: a training and a validation graph part.
import numpy as np
import tensorflow as tf

tf.set_random_seed(4)


def build(name, batch, training):
    out = []
    for i in range(2):
        with tf.device('/gpu:%d' % i):
            with tf.name_scope('%s_%d' % (name, i)):
                w = tf.get_variable('w', [2], initializer=tf.random_uniform_initializer(seed=6))
                part = batch[i::2]
                if training:
                    part = tf.nn.dropout(part, keep_prob=0.75, seed=31)
                out.append(tf.reduce_mean(tf.square(tf.reduce_sum(part * w, 1) - 1.)))
                tf.get_variable_scope().reuse_variables()
    return out


batch = tf.placeholder(tf.float32, [6, 2])
with tf.variable_scope('model') as scope:
    train_losses = build('train', batch, True)
with tf.variable_scope(scope, reuse=True):
    valid_losses = build('valid', batch, False)
opt = tf.train.GradientDescentOptimizer(0.1)
tower_grads = [opt.compute_gradients(l) for l in train_losses]
train = opt.apply_gradients([(tf.add_n([a, b]) / 2.0, v) for (a, v), (b, _) in zip(*tower_grads)])
print([l.op.name for l in train_losses + valid_losses])
r = np.random.RandomState(3)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(4):
        data = r.rand(6, 2)
        print(sess.run(train_losses + [train], {batch: data})[:2], sess.run(valid_losses, {batch: data}))
    print(sess.run(tf.trainable_variables()))

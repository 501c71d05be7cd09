# One variable is not used by the loss: its gradient is None, the average leaves it out.
import numpy as np
import tensorflow as tf

tf.set_random_seed(17)
x = tf.placeholder(tf.float32, [4, 3])


def average_gradients(tower_grads):
    result = []
    for pairs in zip(*tower_grads):
        grads = []
        for g, _ in pairs:
            if g is None:
                continue
            grads.append(tf.expand_dims(g, 0))
        if not grads:
            result.append((None, pairs[0][1]))
            continue
        result.append((tf.reduce_mean(tf.concat(grads, 0), 0), pairs[0][1]))
    return result


opt = tf.train.MomentumOptimizer(0.02, 0.9)
tower_grads = []
for i in range(2):
    with tf.device('/gpu:%d' % i):
        with tf.variable_scope('net', reuse=(i != 0)):
            w = tf.get_variable('w', [3, 2])
            unused = tf.get_variable('unused', [2], initializer=tf.ones_initializer())
            out = tf.matmul(x[i * 2:i * 2 + 2], w)
            loss = tf.reduce_sum(out * out)
            tower_grads.append(opt.compute_gradients(loss))
grads = average_gradients(tower_grads)
print([(g is None, v.op.name) for g, v in grads])
train = opt.apply_gradients(grads)
rng = np.random.RandomState(1)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(5):
        print('%.9g' % sess.run([train, loss], {x: rng.randn(4, 3)})[1])
    for v in tf.global_variables():
        print(v.op.name, sess.run(v).tolist())

# Variables through a custom getter that keeps a log; AUTO_REUSE; a scope object entered again for evaluation.
import numpy as np
import tensorflow as tf

asked = []


def on_cpu(getter, name, *args, **kwargs):
    asked.append(name)
    with tf.device('/cpu:0'):
        return getter(name, *args, **kwargs)


def forward(x):
    with tf.variable_scope('fc'):
        w = tf.get_variable('w', [2, 2], initializer=tf.orthogonal_initializer(seed=8))
        return tf.matmul(x, w)


x = tf.placeholder(tf.float32, [4, 2])
opt = tf.train.GradientDescentOptimizer(0.01)
grads = []
for i in range(2):
    with tf.device('/gpu:%d' % i):
        with tf.variable_scope('top', custom_getter=on_cpu, reuse=tf.AUTO_REUSE) as top:
            loss = tf.reduce_sum(forward(x[2 * i:2 * i + 2]) ** 4)
            grads.append(opt.compute_gradients(loss))
with tf.variable_scope(top, reuse=True):
    score = tf.reduce_max(forward(x * 10.0))
train = opt.apply_gradients([(tf.add_n([g for g, _ in gv]) / 2., gv[0][1]) for gv in zip(*grads)])
print(asked)
rng = np.random.RandomState(2)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(5):
        batch = rng.randn(4, 2)
        sess.run(train, {x: batch})
        print(step, '%.9g %.9g' % tuple(sess.run([loss, score], {x: batch})))
    print(sess.run('top/fc/w:0'))

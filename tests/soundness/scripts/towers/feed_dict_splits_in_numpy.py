# Each tower has its own placeholders; a generator in Python cuts the batch; one fetch dict for each tower.
import numpy as np
import tensorflow as tf


class Tower:
    def __init__(self, index, opt):
        self.index = index
        with tf.device('/gpu:%d' % index), tf.name_scope('tower%d' % index):
            with tf.variable_scope('shared', reuse=index > 0):
                self.x = tf.placeholder(tf.float32, [None, 2], 'x')
                self.y = tf.placeholder(tf.float32, [None], 'y')
                self.w = tf.get_variable('w', [2], initializer=tf.ones_initializer())
            self.loss = tf.reduce_mean((tf.reduce_sum(self.x * self.w, 1) - self.y) ** 2, name='loss')
            self.grads = opt.compute_gradients(self.loss)

    def feed(self, x, y, n):
        part = slice(self.index * len(x) // n, (self.index + 1) * len(x) // n)
        return {self.x: x[part], self.y: y[part]}


opt = tf.train.GradientDescentOptimizer(0.1)
towers = [Tower(i, opt) for i in range(2)]
mean = [(tf.reduce_mean(tf.stack([g for g, _ in p]), 0), p[0][1]) for p in zip(*[t.grads for t in towers])]
train = opt.apply_gradients(mean)
rng = np.random.RandomState(0)
sess = tf.Session(config=tf.ConfigProto(allow_soft_placement=True))
with sess.as_default():
    tf.global_variables_initializer().run()
    for size in (4, 6, 5):
        x = rng.randn(size, 2)
        feed = {}
        for t in towers:
            feed.update(t.feed(x, x[:, 0] - x[:, 1], 2))
        print([float(t.loss.eval(feed)) for t in towers], sess.run(train, feed_dict=feed))
    print(towers[0].w.eval().tolist(), towers[0].w is towers[1].w)

# A base class with the loop, a subclass with the model; the optimizer comes from a property.
import numpy as np
import tensorflow as tf


class MultiTower(object):
    towers = 2

    def __init__(self, features):
        self.features = features
        self.graph = tf.Graph()
        with self.graph.as_default():
            tf.set_random_seed(8)
            self._build()
            self.init = tf.global_variables_initializer()

    @property
    def optimizer(self):
        if not hasattr(self, '_opt'):
            self._opt = tf.train.AdamOptimizer(0.03, epsilon=1e-4)
        return self._opt

    def _build(self):
        self.x = tf.placeholder(tf.float32, [None, self.features])
        self.y = tf.placeholder(tf.float32, [None])
        shards = list(zip(tf.split(self.x, self.towers), tf.split(self.y, self.towers)))
        self.losses, grads = [], []
        with tf.variable_scope(self.name) as self.vs:
            for i, (x, y) in enumerate(shards):
                with tf.device('/gpu:%d' % i), tf.name_scope('tower_%d' % i):
                    self.losses.append(self.loss(x, y))
                    grads.append(self.optimizer.compute_gradients(self.losses[-1]))
                self.vs.reuse_variables()
        self.train_op = self.optimizer.apply_gradients(
            [(tf.reduce_mean(tf.stack([g for g, _ in p]), 0), p[0][1]) for p in zip(*grads)])

    def run(self, steps, seed):
        rng = np.random.RandomState(seed)
        with tf.Session(graph=self.graph, config=tf.ConfigProto(allow_soft_placement=True)) as sess:
            sess.run(self.init)
            for _ in range(steps):
                feed = {self.x: rng.randn(4, self.features), self.y: rng.randn(4)}
                print(self.name, ['%.9g' % v for v in sess.run(self.losses, feed)])
                sess.run(self.train_op, feed)
            for v in self.graph.get_collection('variables'):
                print(v.op.name, np.ravel(sess.run(v)).tolist())


class Linear(MultiTower):
    name = 'linear'

    def loss(self, x, y):
        w = tf.get_variable('w', [self.features], initializer=tf.random_normal_initializer())
        return tf.reduce_mean((tf.reduce_sum(x * w, 1) - y) ** 2)


class Deep(Linear):
    name = 'deep'

    def loss(self, x, y):
        k = tf.get_variable('k', [self.features, self.features], initializer=tf.random_normal_initializer(stddev=.3))
        return super(Deep, self).loss(tf.nn.relu(tf.matmul(x, k)), y) + 0.01 * tf.nn.l2_loss(k)


Linear(3).run(3, 0)
Deep(2).run(3, 1)

# The loop in a method of a trainer class; model objects per tower; evaluation by the first tower's model.
import numpy as np
import tensorflow as tf


class Net(object):
    def __init__(self, scope, inputs, labels):
        self.inputs, self.labels = inputs, labels
        self.scope = scope

    def build(self):
        hidden = self._layer(self.inputs, 6, 'one', tf.nn.tanh)
        self.logits = self._layer(hidden, 3, 'two')
        self.loss = tf.reduce_mean(
            tf.nn.sparse_softmax_cross_entropy_with_logits(logits=self.logits, labels=self.labels))
        self.correct = tf.reduce_sum(tf.cast(tf.nn.in_top_k(self.logits, self.labels, 1), tf.int32))
        return self

    def _layer(self, x, size, name, act=None):
        with tf.variable_scope(name):
            w = tf.get_variable('w', [x.shape[1].value, size], initializer=tf.glorot_uniform_initializer(seed=4))
            b = tf.get_variable('b', [size], initializer=tf.zeros_initializer())
            out = tf.nn.bias_add(tf.matmul(x, w), b)
            return out if act is None else act(out)


class Trainer:
    def __init__(self, num_towers=2):
        self.num_towers = num_towers
        self.x = tf.placeholder(tf.float32, [None, 5])
        self.y = tf.placeholder(tf.int32, [None])
        self.opt = tf.train.RMSPropOptimizer(0.01, decay=0.9, momentum=0.5, centered=True)
        self.models = []

    def build(self):
        grads = []
        xs = tf.split(self.x, self.num_towers)
        ys = tf.split(self.y, self.num_towers)
        for k in range(self.num_towers):
            with tf.device('/gpu:%d' % k):
                with tf.variable_scope('net', reuse=(True if k else None)) as scope:
                    m = Net(scope, xs[k], ys[k]).build()
                    self.models.append(m)
                    grads.append(self.opt.compute_gradients(m.loss))
        with tf.device('/cpu:0'):
            self.train_op = self.opt.apply_gradients(self.average(grads))
            self.loss = tf.add_n([m.loss for m in self.models]) * (1.0 / self.num_towers)
            self.correct = tf.add_n([m.correct for m in self.models])

    @staticmethod
    def average(grads):
        return [(tf.add_n([g for g, _ in gv]) / len(gv), gv[0][1]) for gv in zip(*grads)]

    def fit(self, sess, steps):
        rng = np.random.RandomState(2)
        for n in range(steps):
            feed = {self.x: rng.randn(10, 5), self.y: rng.randint(3, size=10)}
            loss, right, _ = sess.run((self.loss, self.correct, self.train_op), feed)
            print(n, '%.9g' % loss, right)
        return feed


trainer = Trainer()
trainer.build()
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as session:
    session.run(tf.global_variables_initializer())
    last = trainer.fit(session, 4)
    print(session.run(trainer.models[0].logits, last)[0].tolist())
    for var in tf.global_variables():
        print(var.name, float(np.abs(session.run(var)).sum()))

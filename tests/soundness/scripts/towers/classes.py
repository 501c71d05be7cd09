import numpy as np
import tensorflow as tf

#: feed_dict_splits_in_numpy: each tower has its own placeholders; a generator in Python cuts the batch; one fetch dict for each tower
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

#: session_config_and_graph_default: A graph variable entered twice: built in a function, the session made elsewhere; config by flags of ConfigProto
graph = tf.Graph()


def build(count):
    with graph.as_default(), graph.device('/cpu:0'):
        x = tf.placeholder(tf.float32, [None, 2], name='input')
        opt = tf.train.AdagradOptimizer(0.4)
        grads = []
        for index in range(count):
            with graph.device('/gpu:%i' % index), graph.name_scope('tower_%i' % index):
                with tf.variable_scope('vars', reuse=index > 0):
                    w = tf.get_variable('w', [2], initializer=tf.constant_initializer([.3, .9]))
                cost = tf.reduce_mean(tf.log(1 + tf.square(tf.reduce_sum(x[index::count] * w, 1))), name='cost')
                grads.append(opt.compute_gradients(cost))
        merged = [(tf.reduce_mean(tf.stack([g for g, _ in p]), 0), p[0][1]) for p in zip(*grads)]
        opt.apply_gradients(merged, name='train')


build(2)
with graph.as_default():
    init = tf.global_variables_initializer()
config = tf.ConfigProto(allow_soft_placement=True, gpu_options=tf.GPUOptions(per_process_gpu_memory_fraction=0.3))
session = tf.Session(graph=graph, config=config)
session.run(init)
rng = np.random.RandomState(0)
for _ in range(5):
    fetched = session.run({'a': 'tower_0/cost:0', 'b': 'tower_1/cost:0', 't': 'train'}, {'input:0': rng.randn(4, 2)})
    print('%.9g %.9g' % (fetched['a'], fetched['b']), fetched['t'])
print([session.run(v).tolist() for v in graph.get_collection(tf.GraphKeys.GLOBAL_VARIABLES)])
session.close()

#: whole_training_called_twice: one function builds and trains; called for one tower and for two, in graphs of their own: the same mean
def train(num_gpus, steps=4):
    with tf.Graph().as_default(), tf.device('/cpu:0'):
        tf.set_random_seed(2)
        x = tf.placeholder(tf.float32, [4, 2])
        opt = tf.train.GradientDescentOptimizer(0.2)
        grads, losses = [], []
        for i, part in enumerate(tf.split(x, num_gpus)):
            with tf.device('/gpu:%d' % i), tf.variable_scope('m', reuse=tf.AUTO_REUSE):
                w = tf.get_variable('w', [2], initializer=tf.constant_initializer([1.0, 0.5]))
                losses.append(tf.reduce_mean(tf.square(tf.reduce_sum(part * w, 1) - 1)))
                grads.append(opt.compute_gradients(losses[i]))
        mean = [(tf.add_n([g for g, _ in p]) / num_gpus, p[0][1]) for p in zip(*grads)]
        op = opt.apply_gradients(mean)
        loss = tf.add_n(losses) / num_gpus
        rng = np.random.RandomState(0)
        with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
            sess.run(tf.global_variables_initializer())
            for _ in range(steps):
                value, _ = sess.run([loss, op], {x: rng.randn(4, 2)})
                print(num_gpus, '%.9g' % value)
            return sess.run(w)


first, second = train(1), train(2)
print(first.tolist(), second.tolist(), bool(np.allclose(first, second)))
for n in (2, 1):
    print(train(n, steps=2).tolist())

#: class_hierarchy: the loop in a method of a base class, model objects of each tower, the optimizer from a property
class Net(object):
    def __init__(self, scope, inputs, labels):
        self.scope, self.inputs, self.labels = scope, inputs, labels

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


class Deep(Net):
    def build(self):
        self.inputs = self._layer(self.inputs, 4, 'zero', tf.nn.relu)
        return super(Deep, self).build()


class Trainer:
    towers = 2
    net = Net

    def __init__(self):
        self.graph = tf.Graph()
        self.models = []
        with self.graph.as_default():
            self._build()
            self.init = tf.global_variables_initializer()

    @property
    def optimizer(self):
        if not hasattr(self, '_opt'):
            self._opt = tf.train.RMSPropOptimizer(0.01, decay=0.9, momentum=0.5, centered=True)
        return self._opt

    def _build(self):
        self.x, self.y = tf.placeholder(tf.float32, [None, 5]), tf.placeholder(tf.int32, [None])
        shards = list(zip(tf.split(self.x, self.towers), tf.split(self.y, self.towers)))
        grads = []
        for k, (x, y) in enumerate(shards):
            with tf.device('/gpu:%d' % k):
                with tf.variable_scope('net', reuse=(True if k else None)) as scope:
                    self.models.append(self.net(scope, x, y).build())
                    grads.append(self.optimizer.compute_gradients(self.models[-1].loss))
        with tf.device('/cpu:0'):
            self.train_op = self.optimizer.apply_gradients(self.average(grads))
            self.loss = tf.add_n([m.loss for m in self.models]) * (1.0 / self.towers)
            self.correct = tf.add_n([m.correct for m in self.models])

    @staticmethod
    def average(grads):
        return [(tf.add_n([g for g, _ in gv]) / len(gv), gv[0][1]) for gv in zip(*grads)]

    def fit(self, steps, seed):
        rng = np.random.RandomState(seed)
        with tf.Session(graph=self.graph, config=tf.ConfigProto(allow_soft_placement=True)) as sess:
            sess.run(self.init)
            for n in range(steps):
                feed = {self.x: rng.randn(10, 5), self.y: rng.randint(3, size=10)}
                loss, right, _ = sess.run((self.loss, self.correct, self.train_op), feed)
                yield n, '%.9g' % loss, right
            print(sess.run(self.models[0].logits, feed)[0].tolist())
            for var in self.graph.get_collection('variables'):
                print(var.name, float(np.abs(sess.run(var)).sum()))


class DeepTrainer(Trainer):
    net = Deep


for trainer in (Trainer(), DeepTrainer()):
    for line in trainer.fit(3, 2):
        print(*line)

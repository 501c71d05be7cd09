# Losses and accuracies gathered as attributes of a trainer that is told its devices; train and test methods.
import numpy as np
import tensorflow as tf


class Parallel:
    def __init__(self, devices, sess):
        self.devices = devices
        self.sess = sess
        self.images = tf.placeholder(tf.float32, [None, 4])
        self.labels = tf.placeholder(tf.int64, [None])
        self.tower_loss, self.tower_acc, self.tower_grads = [], [], []
        self.opt = tf.train.MomentumOptimizer(0.2, 0.9)
        self._towers()
        self.loss = tf.reduce_mean(self.tower_loss)
        self.acc = tf.reduce_mean(self.tower_acc)
        self.train_op = self.opt.apply_gradients(self._average())
        self.sess.run(tf.global_variables_initializer())

    def _towers(self):
        images = tf.split(self.images, len(self.devices))
        labels = tf.split(self.labels, len(self.devices))
        for i, d in enumerate(self.devices):
            with tf.device(d), tf.variable_scope('cls', reuse=bool(i)):
                self._one(images[i], labels[i])

    def _one(self, images, labels):
        w = tf.get_variable('w', [4, 3], initializer=tf.constant_initializer(0.01))
        b = tf.get_variable('b', 3, initializer=tf.zeros_initializer())
        logits = images @ w + b
        self.tower_loss.append(tf.reduce_mean(
            tf.nn.sparse_softmax_cross_entropy_with_logits(logits=logits, labels=labels)))
        self.tower_acc.append(tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, -1), labels), tf.float32)))
        self.tower_grads.append(self.opt.compute_gradients(self.tower_loss[-1]))

    def _average(self):
        return [(tf.reduce_mean(tf.stack([g for g, _ in p]), 0), p[0][1]) for p in zip(*self.tower_grads)]

    def fit(self, batches):
        for images, labels in batches:
            _, loss = self.sess.run([self.train_op, self.loss], {self.images: images, self.labels: labels})
            yield float(loss)

    def test(self, images, labels):
        return self.sess.run([self.loss, self.acc], {self.images: images, self.labels: labels})


rng = np.random.RandomState(7)
model = Parallel(['/gpu:0', '/gpu:1'], tf.Session(config=tf.ConfigProto(allow_soft_placement=True)))
for loss in model.fit((rng.rand(4, 4), rng.randint(0, 3, 4)) for _ in range(5)):
    print('%.9g' % loss)
print(model.test(rng.rand(6, 4), rng.randint(0, 3, 6)))
print([model.sess.run(v).tolist() for v in tf.trainable_variables()])

# An optimizer class of the script's own that knows TF1's variables alone: _apply_dense and _apply_sparse.
import numpy as np
import tensorflow as tf
from tensorflow.python.ops import control_flow_ops, math_ops, state_ops
from tensorflow.python.training import optimizer


class SignedMomentum(optimizer.Optimizer):
    def __init__(self, rate, decay=0.5, use_locking=False, name='SignedMomentum'):
        super(SignedMomentum, self).__init__(use_locking, name)
        self._rate, self._decay = rate, decay

    def _prepare(self):
        self._rate_t = tf.convert_to_tensor(self._rate, name='rate')

    def _create_slots(self, var_list):
        for v in var_list:
            self._zeros_slot(v, 'm', self._name)

    def _apply_dense(self, grad, var):
        rate = math_ops.cast(self._rate_t, var.dtype.base_dtype)
        m = self.get_slot(var, 'm')
        m_t = m.assign(self._decay * m + grad)
        update = state_ops.assign_sub(var, rate * (m_t + tf.sign(grad)), use_locking=self._use_locking)
        return control_flow_ops.group(update, m_t)

    def _apply_sparse(self, grad, var):
        rate = math_ops.cast(self._rate_t, var.dtype.base_dtype)
        m = self.get_slot(var, 'm')
        m_t = state_ops.scatter_add(m, grad.indices, grad.values, use_locking=self._use_locking)
        update = state_ops.scatter_sub(var, grad.indices, rate * grad.values, use_locking=self._use_locking)
        return control_flow_ops.group(update, m_t)


def main():
    ids = tf.placeholder(tf.int32, [None])
    x = tf.placeholder(tf.float32, [None, 3])
    opt = SignedMomentum(0.05)
    grads, losses = [], []
    for i in range(2):
        with tf.device('/gpu:%d' % i), tf.variable_scope('net', reuse=i > 0):
            table = tf.get_variable('table', [5, 3], initializer=tf.constant_initializer(0.5))
            w = tf.get_variable('w', [3, 2], initializer=tf.constant_initializer(0.2))
            rows = tf.nn.embedding_lookup(table, tf.split(ids, 2)[i])
            loss = tf.reduce_mean(tf.square(tf.matmul(tf.split(x, 2)[i] + rows, w) - 1.0))
            losses.append(loss)
            grads.append(opt.compute_gradients(loss, [w]))
            if i == 0:
                first = opt.apply_gradients(opt.compute_gradients(loss, [table]))
    mean = [(tf.reduce_mean(tf.stack([g for g, _ in each]), 0), each[0][1]) for each in zip(*grads)]
    train = opt.apply_gradients(mean)
    rng = np.random.RandomState(5)
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(4):
            feed = {ids: [1, 3, 1, 4], x: rng.randn(4, 3)}
            print(['%.9g' % value for value in sess.run(losses, feed)])
            sess.run(train, feed)
            sess.run(first, feed)
        for v in tf.global_variables():
            print(v.op.name, sess.run(v).tolist())


if __name__ == '__main__':
    main()

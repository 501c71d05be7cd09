# An optimizer of the script's own on TF1's variables alone, and subclasses of TensorFlow's that write the updates of TF1's variables anew, and call the former.
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
        m_t = state_ops.scatter_add(self.get_slot(var, 'm'), grad.indices, grad.values, use_locking=self._use_locking)
        update = state_ops.scatter_sub(var, grad.indices, self._rate_t * grad.values, use_locking=self._use_locking)
        return control_flow_ops.group(update, m_t)


class Clipped(tf.train.GradientDescentOptimizer):
    def _apply_dense(self, grad, var):
        return super(Clipped, self)._apply_dense(tf.clip_by_value(grad, -0.5, 0.5), var)


class Decayed(tf.train.AdamOptimizer):
    def _apply_dense(self, grad, var):
        done = super(Decayed, self)._apply_dense(grad, var)
        with tf.control_dependencies([done]):
            return var.assign_sub(0.01 * var)

    def _apply_sparse(self, grad, var):
        sums = tf.scatter_add(self.get_slot(var, 'm'), grad.indices, grad.values)
        with tf.control_dependencies([sums]):
            return tf.scatter_sub(var, grad.indices, 0.1 * grad.values)


class Doubled(tf.train.MomentumOptimizer):
    def _apply_sparse(self, grad, var):
        return super(Doubled, self)._apply_sparse(
            tf.IndexedSlices(grad.values * 2.0, grad.indices, grad.dense_shape), var
        )


class Each(tf.train.GradientDescentOptimizer):
    def _apply_sparse_duplicate_indices(self, grad, var):
        return var.scatter_sub(tf.IndexedSlices(grad.values * 0.25, grad.indices))


class Doubling(object):
    def _apply_dense(self, grad, var):
        return super(Doubling, self)._apply_dense(grad * 2.0, var)


class DoubledMomentum(Doubling, tf.train.MomentumOptimizer):
    def _resource_apply_dense(self, grad, var):
        return super(DoubledMomentum, self)._resource_apply_dense(grad * 0.5, var)


for opt in (SignedMomentum(0.05), DoubledMomentum(0.01, 0.9), Clipped(0.1), Decayed(0.1), Doubled(0.1, 0.9), Each(0.1)):
    with tf.Graph().as_default():
        dense, slices = [], []
        for i in range(2):
            with tf.device('/gpu:%d' % i), tf.variable_scope('net', reuse=tf.AUTO_REUSE):
                w = tf.get_variable('w', [2], initializer=tf.ones_initializer())
                table = tf.get_variable('table', [4, 2], initializer=tf.ones_initializer())
                dense.append(tf.gradients(tf.reduce_sum(w**3) * (i + 1), w)[0])
                rows = tf.reduce_sum(tf.square(tf.gather(table, [0, 2, 2]))) * (i + 1)
                slices.append(tf.gradients(rows, table)[0])
        values = tf.concat([each.values for each in slices], 0) / 2
        rows = tf.IndexedSlices(values, tf.concat([each.indices for each in slices], 0), slices[0].dense_shape)
        train = opt.apply_gradients([(tf.reduce_mean(tf.stack(dense), 0), w), (rows, table)])
        with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
            sess.run(tf.global_variables_initializer())
            for _ in range(3):
                sess.run(train)
                print(sess.run(w), sess.run(table).ravel())

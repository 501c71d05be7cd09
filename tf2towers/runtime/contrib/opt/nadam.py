"""`tf.contrib.opt.NadamOptimizer`."""

from __future__ import annotations

from typing import Any

import tensorflow as tf


class NadamOptimizer(tf.compat.v1.train.AdamOptimizer):
    """Adam with Nesterov's momentum (Dozat, 2015, http://cs229.stanford.edu/proj2015/054_report.pdf).

    Source: TF 1.15, `contrib/opt/python/training/nadam_optimizer.py`.
    """

    def _resource_apply_dense(self, grad: tf.Tensor, var: Any) -> tf.Operation:
        dtype = grad.dtype.base_dtype
        beta1_power, beta2_power = (tf.cast(power, dtype) for power in self._get_beta_accumulators())
        rate, beta1, beta2, epsilon = (
            tf.cast(value, dtype) for value in (self._lr_t, self._beta1_t, self._beta2_t, self._epsilon_t)
        )
        return tf.raw_ops.ResourceApplyAdam(
            var=var.handle,
            m=self.get_slot(var, "m").handle,
            v=self.get_slot(var, "v").handle,
            beta1_power=beta1_power,
            beta2_power=beta2_power,
            lr=rate,
            beta1=beta1,
            beta2=beta2,
            epsilon=epsilon,
            grad=grad,
            use_locking=self._use_locking,
            use_nesterov=True,
        )

    def _resource_apply_sparse(self, grad: tf.Tensor, var: Any, indices: tf.Tensor) -> tf.Operation:
        dtype = var.dtype.base_dtype
        beta1_power, beta2_power = (tf.cast(power, dtype) for power in self._get_beta_accumulators())
        rate, beta1, beta2, epsilon = (
            tf.cast(value, dtype) for value in (self._lr_t, self._beta1_t, self._beta2_t, self._epsilon_t)
        )
        rate = rate * tf.sqrt(1 - beta2_power) / (1 - beta1_power)
        m, v = self.get_slot(var, "m"), self.get_slot(var, "v")
        m_of_rows, v_of_rows = grad * (1 - beta1), (grad * grad) * (1 - beta2)
        m_rows = tf.gather(_decayed_and_added(m, beta1, indices, m_of_rows), indices)
        v_rows = tf.gather(_decayed_and_added(v, beta2, indices, v_of_rows), indices)
        step = -rate * (m_of_rows + beta1 * m_rows) / (tf.sqrt(v_rows) + epsilon)
        updated = tf.raw_ops.ResourceScatterAdd(resource=var.handle, indices=indices, updates=step)
        return tf.group(updated, m_rows, v_rows)


def _decayed_and_added(slot: Any, decay: tf.Tensor, indices: tf.Tensor, rows: tf.Tensor) -> tf.Tensor:
    """A slot's value behind both: all of it decays, and some rows grow."""
    with tf.control_dependencies([slot.assign(slot * decay).op]):
        added = tf.raw_ops.ResourceScatterAdd(resource=slot.handle, indices=indices, updates=rows)
    with tf.control_dependencies([added]):
        return slot.read_value()

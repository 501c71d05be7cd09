"""`tf.contrib.opt.NadamOptimizer`."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from tf2towers.runtime.contrib.opt.numbers_of_adam import numbers_of_adam, rate_of_a_step


class NadamOptimizer(tf.compat.v1.train.AdamOptimizer):
    """Adam with Nesterov's momentum (Dozat, 2015, http://cs229.stanford.edu/proj2015/054_report.pdf).

    Source: TF 1.15, `contrib/opt/python/training/nadam_optimizer.py`.
    """

    def _resource_apply_dense(self, grad: tf.Tensor, var: Any) -> tf.Operation:
        return tf.raw_ops.ResourceApplyAdam(
            var=var.handle,
            m=self.get_slot(var, "m").handle,
            v=self.get_slot(var, "v").handle,
            grad=grad,
            use_locking=self._use_locking,
            use_nesterov=True,
            **numbers_of_adam(self, grad.dtype.base_dtype),
        )

    def _resource_apply_sparse(self, grad: tf.Tensor, var: Any, indices: tf.Tensor) -> tf.Operation:
        numbers = numbers_of_adam(self, var.dtype.base_dtype)
        beta1, beta2 = numbers["beta1"], numbers["beta2"]
        m, v = self.get_slot(var, "m"), self.get_slot(var, "v")
        m_of_rows, v_of_rows = grad * (1 - beta1), (grad * grad) * (1 - beta2)
        m_rows = tf.gather(_decayed_and_added(m, beta1, indices, m_of_rows), indices)
        v_rows = tf.gather(_decayed_and_added(v, beta2, indices, v_of_rows), indices)
        step = (
            -rate_of_a_step(numbers) * (m_of_rows + beta1 * m_rows) / (tf.sqrt(v_rows) + numbers["epsilon"])
        )
        updated = tf.raw_ops.ResourceScatterAdd(resource=var.handle, indices=indices, updates=step)
        return tf.group(updated, m_rows, v_rows)


def _decayed_and_added(slot: Any, decay: tf.Tensor, indices: tf.Tensor, rows: tf.Tensor) -> tf.Tensor:
    """A slot's value behind both: all of it decays, and some rows grow."""
    with tf.control_dependencies([slot.assign(slot * decay).op]):
        added = tf.raw_ops.ResourceScatterAdd(resource=slot.handle, indices=indices, updates=rows)
    with tf.control_dependencies([added]):
        return slot.read_value()

"""`tf.contrib.opt.LazyAdamOptimizer`."""

from __future__ import annotations

from typing import Any

import tensorflow as tf


class LazyAdamOptimizer(tf.compat.v1.train.AdamOptimizer):
    """Adam whose averages change for the rows alone that a sparse gradient has; for other gradients it is Adam.

    Source: TF 1.15, `contrib/opt/python/training/lazy_adam_optimizer.py`.
    """

    def _resource_apply_sparse(self, grad: tf.Tensor, var: Any, indices: tf.Tensor) -> tf.Operation:
        dtype = var.dtype.base_dtype
        beta1_power, beta2_power = (tf.cast(power, dtype) for power in self._get_beta_accumulators())
        rate, beta1, beta2, epsilon = (
            tf.cast(value, dtype) for value in (self._lr_t, self._beta1_t, self._beta2_t, self._epsilon_t)
        )
        rate = rate * tf.sqrt(1 - beta2_power) / (1 - beta1_power)
        m, v = self.get_slot(var, "m"), self.get_slot(var, "v")
        m_rows = beta1 * tf.gather(m, indices) + (1 - beta1) * grad
        v_rows = beta2 * tf.gather(v, indices) + (1 - beta2) * tf.square(grad)
        return tf.group(
            tf.raw_ops.ResourceScatterSub(
                resource=var.handle, indices=indices, updates=rate * m_rows / (tf.sqrt(v_rows) + epsilon)
            ),
            tf.raw_ops.ResourceScatterUpdate(resource=m.handle, indices=indices, updates=m_rows),
            tf.raw_ops.ResourceScatterUpdate(resource=v.handle, indices=indices, updates=v_rows),
        )

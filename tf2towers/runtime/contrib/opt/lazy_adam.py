"""`tf.contrib.opt.LazyAdamOptimizer`."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from tf2towers.runtime.contrib.opt.numbers_of_adam import numbers_of_adam, rate_of_a_step


class LazyAdamOptimizer(tf.compat.v1.train.AdamOptimizer):
    """Adam whose averages change for the rows alone that a sparse gradient has; for other gradients it is Adam.

    Source: TF 1.15, `contrib/opt/python/training/lazy_adam_optimizer.py`.
    """

    def _resource_apply_sparse(self, grad: tf.Tensor, var: Any, indices: tf.Tensor) -> tf.Operation:
        numbers = numbers_of_adam(self, var.dtype.base_dtype)
        beta1, beta2 = numbers["beta1"], numbers["beta2"]
        m, v = self.get_slot(var, "m"), self.get_slot(var, "v")
        m_rows = beta1 * tf.gather(m, indices) + (1 - beta1) * grad
        v_rows = beta2 * tf.gather(v, indices) + (1 - beta2) * tf.square(grad)
        return tf.group(
            tf.raw_ops.ResourceScatterSub(
                resource=var.handle,
                indices=indices,
                updates=rate_of_a_step(numbers) * m_rows / (tf.sqrt(v_rows) + numbers["epsilon"]),
            ),
            tf.raw_ops.ResourceScatterUpdate(resource=m.handle, indices=indices, updates=m_rows),
            tf.raw_ops.ResourceScatterUpdate(resource=v.handle, indices=indices, updates=v_rows),
        )

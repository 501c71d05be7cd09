"""Optimizers of `tf.contrib.opt`: `LazyAdamOptimizer`."""

from __future__ import annotations

from typing import Any

import tensorflow as tf


class LazyAdamOptimizer(tf.compat.v1.train.AdamOptimizer):
    """Adam (Kingma and Ba, 2014) whose averages change for those rows alone that a sparse gradient has."""

    def _resource_apply_sparse(self, grad: tf.Tensor, var: Any, indices: tf.Tensor) -> tf.Operation:
        powers = self._get_beta_accumulators()
        numbers = (*powers, self._lr_t, self._beta1_t, self._beta2_t, self._epsilon_t)
        power1, power2, rate, beta1, beta2, epsilon = (tf.cast(number, grad.dtype) for number in numbers)
        m, v = self.get_slot(var, "m"), self.get_slot(var, "v")
        m_rows = beta1 * tf.gather(m, indices) + (1 - beta1) * grad
        v_rows = beta2 * tf.gather(v, indices) + (1 - beta2) * tf.square(grad)
        step = rate * tf.sqrt(1 - power2) / (1 - power1) * m_rows / (tf.sqrt(v_rows) + epsilon)
        scatter = tf.raw_ops.ResourceScatterUpdate
        return tf.group(
            tf.raw_ops.ResourceScatterSub(resource=var.handle, indices=indices, updates=step),
            scatter(resource=m.handle, indices=indices, updates=m_rows),
            scatter(resource=v.handle, indices=indices, updates=v_rows),
        )

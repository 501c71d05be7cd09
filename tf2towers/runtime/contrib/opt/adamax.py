"""`tf.contrib.opt.AdaMaxOptimizer`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorflow as tf


class AdaMaxOptimizer(tf.compat.v1.train.AdamOptimizer):
    """Adam by the largest of the gradients there were (Kingma and Ba, 2014, https://arxiv.org/abs/1412.6980, 7.1).

    Of a sparse gradient the averages change for its rows alone.
    Source: TF 1.15, `contrib/opt/python/training/adamax.py`.
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "AdaMax",
    ) -> None:
        super().__init__(learning_rate, beta1, beta2, epsilon, use_locking, name)

    def _get_beta_accumulators(self) -> Any:
        """Beta 1 to the power of the steps; there is none of beta 2."""
        return self._get_non_slot_variable("beta1_power", graph=tf.compat.v1.get_default_graph())

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        first = min(var_list, key=lambda variable: variable.name)
        self._create_non_slot_variable(initial_value=self._beta1, name="beta1_power", colocate_with=first)
        for variable in var_list:
            self._zeros_slot(variable, "m", self._name)
            self._zeros_slot(variable, "v", self._name)

    def _resource_apply_dense(self, grad: tf.Tensor, var: Any) -> tf.Operation:
        beta1_power, rate, beta1, beta2, epsilon = self._numbers(grad.dtype.base_dtype)
        return tf.raw_ops.ResourceApplyAdaMax(
            var=var.handle,
            m=self.get_slot(var, "m").handle,
            v=self.get_slot(var, "v").handle,
            beta1_power=beta1_power,
            lr=rate,
            beta1=beta1,
            beta2=beta2,
            epsilon=epsilon,
            grad=grad,
            use_locking=self._use_locking,
        )

    def _resource_apply_sparse(self, grad: tf.Tensor, var: Any, indices: tf.Tensor) -> tf.Operation:
        beta1_power, rate, beta1, beta2, epsilon = self._numbers(var.dtype.base_dtype)
        m, v = self.get_slot(var, "m"), self.get_slot(var, "v")
        m_rows = tf.gather(m, indices) * beta1 + grad * (1 - beta1)
        v_rows = tf.maximum(tf.gather(v, indices) * beta2, tf.abs(grad))
        step = -rate / (1 - beta1_power) * (m_rows / (v_rows + epsilon))
        return tf.group(
            tf.raw_ops.ResourceScatterAdd(resource=var.handle, indices=indices, updates=step),
            tf.raw_ops.ResourceScatterUpdate(resource=m.handle, indices=indices, updates=m_rows),
            tf.raw_ops.ResourceScatterUpdate(resource=v.handle, indices=indices, updates=v_rows),
        )

    def _finish(self, update_ops: Sequence[Any], name_scope: str) -> tf.Operation:
        with tf.control_dependencies(update_ops):
            beta1_power = self._get_beta_accumulators()
            with tf.compat.v1.colocate_with(beta1_power):
                update = beta1_power.assign(beta1_power * self._beta1_t, use_locking=self._use_locking)
        return tf.group(*update_ops, update, name=name_scope)

    def _numbers(self, dtype: tf.DType) -> list[tf.Tensor]:
        """Beta 1 to the power of the steps, the learning rate, beta 1, beta 2 and epsilon, all of a type."""
        values = (self._get_beta_accumulators(), self._lr_t, self._beta1_t, self._beta2_t, self._epsilon_t)
        return [tf.cast(value, dtype) for value in values]

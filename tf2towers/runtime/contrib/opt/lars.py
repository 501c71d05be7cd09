"""`tf.contrib.opt.LARSOptimizer`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorflow as tf


class LARSOptimizer(tf.compat.v1.train.Optimizer):
    """Momentum with a learning rate for each variable, by the norms of it and of its gradient.

    You, Gitman and Ginsburg, 2017, https://arxiv.org/abs/1708.03888. A sparse gradient is momentum's alone.
    Source: TF 1.15, `contrib/opt/python/training/lars_optimizer.py`.

    Args:
        learning_rate, momentum: of the momentum.
        weight_decay: what the gradient gets of the variable.
        eeta: the paper's trust coefficient.
        epsilon: is added to what is divided by.
        name: of the operations.
        skip_list: of a variable with one of these texts in its name, the gradient stays as it is.
        use_nesterov: Nesterov's momentum.

    Raises:
        ValueError: for a momentum or a weight decay below 0.
    """

    def __init__(
        self,
        learning_rate: Any,
        momentum: Any = 0.9,
        weight_decay: Any = 0.0001,
        eeta: Any = 0.001,
        epsilon: Any = 0.0,
        name: str = "LARSOptimizer",
        skip_list: Sequence[str] | None = None,
        use_nesterov: bool = False,
    ) -> None:
        if momentum < 0.0:
            raise ValueError(f"momentum should be positive: {momentum}")
        if weight_decay < 0.0:
            raise ValueError(f"weight_decay should be positive: {weight_decay}")
        super().__init__(use_locking=False, name=name)
        self._learning_rate = learning_rate
        self._momentum = momentum
        self._weight_decay = weight_decay
        self._eeta = eeta
        self._epsilon = epsilon
        self._skip_list = skip_list
        self._use_nesterov = use_nesterov

    def compute_lr(self, grad: tf.Tensor, var: Any) -> tuple[Any, tf.Tensor]:
        """The learning rate of a variable, and its gradient with the weight decay in it."""
        if self._skip_list is not None and any(text in var.name for text in self._skip_list):
            return self._learning_rate, grad
        w_norm, g_norm = tf.norm(var, ord=2), tf.norm(grad, ord=2)
        ratio = self._eeta * w_norm / (g_norm + self._weight_decay * w_norm + self._epsilon)
        where = tf.compat.v1.where
        trusted = where(tf.greater(w_norm, 0), where(tf.greater(g_norm, 0), ratio, 1.0), 1.0)
        return self._learning_rate * trusted, grad + self._weight_decay * var

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for variable in var_list:
            self._zeros_slot(variable, "momentum", self._name)

    def _prepare(self) -> None:
        rate = self._learning_rate() if callable(self._learning_rate) else self._learning_rate
        momentum = self._momentum() if callable(self._momentum) else self._momentum
        self._learning_rate_tensor = tf.convert_to_tensor(rate, name="learning_rate")
        self._momentum_tensor = tf.convert_to_tensor(momentum, name="momentum")

    def _resource_apply_dense(self, grad: tf.Tensor, var: Any) -> tf.Operation:
        rate, grad = self.compute_lr(grad, var)
        return tf.raw_ops.ResourceApplyMomentum(
            var=var.handle,
            accum=self.get_slot(var, "momentum").handle,
            lr=tf.cast(1.0, var.dtype.base_dtype),
            grad=grad * rate,
            momentum=self._momentum,
            use_locking=False,
            use_nesterov=self._use_nesterov,
        )

    def _resource_apply_sparse(self, grad: tf.Tensor, var: Any, indices: tf.Tensor) -> tf.Operation:
        return tf.raw_ops.ResourceSparseApplyMomentum(
            var=var.handle,
            accum=self.get_slot(var, "momentum").handle,
            lr=tf.cast(self._learning_rate_tensor, grad.dtype),
            grad=grad,
            indices=indices,
            momentum=tf.cast(self._momentum_tensor, grad.dtype),
            use_locking=self._use_locking,
            use_nesterov=self._use_nesterov,
        )

"""Optimizers of `tf.contrib.opt` with a weight decay that is no part of the loss: AdamW, SGDW."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorflow as tf


class DecoupledWeightDecayExtension:
    """Goes before an optimizer in the bases of a class: a variable decays, then it is updated.

    Loshchilov and Hutter, 2017, https://arxiv.org/abs/1711.05101.
    Source: TF 1.15, `contrib/opt/python/training/weight_decay_optimizers.py`.

    Args:
        weight_decay: the share of a variable that a step takes away; a number or a tensor.
        kwargs: the optimizer's own arguments.
    """

    def __init__(self, weight_decay: Any, **kwargs: Any) -> None:
        self._decay_var_list: Sequence[Any] = ()
        self._weight_decay = weight_decay
        super().__init__(**kwargs)

    def minimize(self, *args: Any, decay_var_list: Any = None, **kwargs: Any) -> Any:
        """The optimizer's; all variables decay, for TF 1.15 forgot `decay_var_list` when it applied the gradients."""
        return super().minimize(*args, **kwargs)  # type: ignore[misc]

    def apply_gradients(
        self,
        grads_and_vars: Any,
        global_step: Any = None,
        name: str | None = None,
        decay_var_list: Any = None,
    ) -> Any:
        """The optimizer's; `decay_var_list` has the variables that decay, all of them where it is empty or None."""
        self._decay_var_list = list(decay_var_list or ())
        return super().apply_gradients(grads_and_vars, global_step=global_step, name=name)  # type: ignore[misc]

    def _prepare(self) -> None:
        # not used: it is there, in the graph, as in TF 1.15
        given = self._weight_decay() if callable(self._weight_decay) else self._weight_decay
        self._weight_decay_tensor = tf.convert_to_tensor(given, name="weight_decay")
        super()._prepare()  # type: ignore[misc]

    def _decays(self, var: Any) -> bool:
        return not self._decay_var_list or any(var is each for each in self._decay_var_list)

    def _resource_apply_dense(self, grad: tf.Tensor, var: Any) -> Any:
        decayed = [var.assign_sub(self._weight_decay * var, self._use_locking)] if self._decays(var) else []  # type: ignore[attr-defined]
        with tf.control_dependencies(decayed):
            return super()._resource_apply_dense(grad, var)  # type: ignore[misc]

    def _resource_apply_sparse(self, grad: tf.Tensor, var: Any, indices: tf.Tensor) -> Any:
        decayed = []
        if self._decays(var):
            rows = -self._weight_decay * tf.gather(var, indices)
            decayed = [tf.raw_ops.ResourceScatterAdd(resource=var.handle, indices=indices, updates=rows)]
        with tf.control_dependencies(decayed):
            return super()._resource_apply_sparse(grad, var, indices)  # type: ignore[misc]


def extend_with_decoupled_weight_decay(base_optimizer: type[Any]) -> type[Any]:
    """A class of optimizers: `base_optimizer` with weight decay, which is its first argument."""

    class OptimizerWithDecoupledWeightDecay(DecoupledWeightDecayExtension, base_optimizer):
        """An optimizer with weight decay."""

        def __init__(self, weight_decay: Any, *args: Any, **kwargs: Any) -> None:
            super().__init__(weight_decay, *args, **kwargs)

    return OptimizerWithDecoupledWeightDecay


class MomentumWOptimizer(DecoupledWeightDecayExtension, tf.compat.v1.train.MomentumOptimizer):
    """SGDW: momentum with weight decay."""

    def __init__(
        self,
        weight_decay: Any,
        learning_rate: Any,
        momentum: Any,
        use_locking: bool = False,
        name: str = "MomentumW",
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(
            weight_decay,
            learning_rate=learning_rate,
            momentum=momentum,
            use_locking=use_locking,
            name=name,
            use_nesterov=use_nesterov,
        )


class AdamWOptimizer(DecoupledWeightDecayExtension, tf.compat.v1.train.AdamOptimizer):
    """Adam with weight decay."""

    def __init__(
        self,
        weight_decay: Any,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "AdamW",
    ) -> None:
        super().__init__(
            weight_decay,
            learning_rate=learning_rate,
            beta1=beta1,
            beta2=beta2,
            epsilon=epsilon,
            use_locking=use_locking,
            name=name,
        )

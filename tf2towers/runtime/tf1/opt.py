"""Optimizers of `tf.contrib.opt`: `LazyAdamOptimizer` and `MovingAverageOptimizer`; operations of a script's own.

The latter are TensorFlow 1.15's `training_ops`, `apply_adam` and its kin. They took reference variables; TensorFlow's
`resource_apply_adam` and its kin do the same to the handles of resource variables.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import tensorflow as tf
from tensorflow.python.ops import gen_training_ops

v1 = tf.compat.v1

#: the operands that an operation writes
_WRITTEN = frozenset(
    "var ms mom mg accum accum_update linear m v vhat gradient_accumulator gradient_squared_accumulator".split()  # noqa: SIM905
)


class LazyAdamOptimizer(tf.compat.v1.train.AdamOptimizer):
    """Adam (Kingma and Ba, 2014) whose averages change for those rows alone that a sparse gradient has."""

    def _resource_apply_sparse(self, grad: tf.Tensor, var: Any, indices: tf.Tensor) -> tf.Operation:
        numbers = (*self._get_beta_accumulators(), self._lr_t, self._beta1_t, self._beta2_t, self._epsilon_t)
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


class MovingAverageOptimizer(tf.compat.v1.train.Optimizer):
    """An optimizer `opt`, and moving averages of what it updates; `swapping_saver` saves them by the variables' names.

    The averages take what an update has made, or race with it without `sequential_update`.
    """

    def __init__(
        self, opt: Any, average_decay: float = 0.9999, num_updates: Any = None, sequential_update: bool = True
    ) -> None:
        self._optimizer, self._sequential_update = opt, sequential_update
        self._ema = v1.train.ExponentialMovingAverage(average_decay, num_updates=num_updates)
        self._swapped_names: dict[str, str] = {}

    def compute_gradients(self, *args: Any, **kwargs: Any) -> Any:
        """What the other optimizer's gives."""
        return self._optimizer.compute_gradients(*args, **kwargs)

    def apply_gradients(
        self, grads_and_vars: Any, global_step: Any = None, name: str | None = None
    ) -> tf.Operation:
        """The other optimizer's update, and that of the averages."""
        pairs = list(grads_and_vars)
        train_op = self._optimizer.apply_gradients(pairs, global_step=global_step, name=name)
        updated = [variable for gradient, variable in pairs if gradient is not None]
        with tf.control_dependencies([train_op] if self._sequential_update else []):
            averaged = self._ema.apply(updated)
        averages = {variable.op.name: self._ema.average(variable).op.name for variable in updated}
        self._swapped_names = {**averages, **{average: own for own, average in averages.items()}}
        return tf.group(train_op, averaged, name="train_with_avg")

    def swapping_saver(self, var_list: Any = None, name: str = "swapping_saver", **kwargs: Any) -> Any:
        """A `tf.train.Saver` that writes each average under its variable's name, and the variable under the average's.

        Raises:
            RuntimeError: nothing has been applied yet.
            ValueError: a variable is saved, and its average is not.
        """
        if not self._swapped_names:
            raise RuntimeError("swapping_saver needs averages: apply_gradients or minimize makes them")
        given = v1.global_variables() if var_list is None else var_list
        saved: dict[str, Any] = given if isinstance(given, dict) else {each.op.name: each for each in given}
        others: dict[str, str] = {key: self._swapped_names.get(key, key) for key in saved}
        if missing := set(others.values()) - set(saved):
            raise ValueError(f"swapping_saver needs {sorted(missing)} among what it saves")
        return v1.train.Saver({key: saved[other] for key, other in others.items()}, name=name, **kwargs)


def __getattr__(name: str) -> Callable[..., Any]:
    operation = getattr(gen_training_ops, f"resource_{name.removeprefix('resource_')}")

    def apply(*args: Any, **kwargs: Any) -> Any:
        """Runs the operation on the variables' handles; the variable's new value, as TF1 gave its reference."""
        given = inspect.signature(operation).bind(*args, **kwargs).arguments
        handles = {part: getattr(given[part], "handle", given[part]) for part in _WRITTEN & set(given)}
        done = operation(**{**given, **handles})
        if not hasattr(given["var"], "read_value"):
            return done
        with tf.control_dependencies([done]):
            return given["var"].read_value()

    return apply

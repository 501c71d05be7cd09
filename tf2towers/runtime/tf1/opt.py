"""`tf.contrib.opt.LazyAdamOptimizer`, and operations for optimizers of a script's own.

The latter are TensorFlow 1.15's `training_ops`, `apply_adam` and its kin. They took reference variables; TensorFlow's
`resource_apply_adam` and its kin do the same to the handles of resource variables.
"""

import inspect
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from tf2towers.runtime.patches.private import private

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


def __getattr__(name: str) -> Callable[..., Any]:
    operations = private("ops.gen_training_ops", "an optimizer of the script's own")
    operation = getattr(operations, f"resource_{name.removeprefix('resource_')}")

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

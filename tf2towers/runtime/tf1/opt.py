"""`tf.contrib.opt.LazyAdamOptimizer`, `MovingAverageOptimizer`, and operations for optimizers of a script's own.

The latter are TensorFlow 1.15's `training_ops`, `apply_adam` and its kin. They took reference variables; TensorFlow's
`resource_apply_adam` and its kin do the same to the handles of resource variables.
"""

import inspect
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from tf2towers.runtime.patches.private import private

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
    """An optimizer that keeps moving averages of what it trains, and whose `swapping_saver` saves them in its place.

    `sequential_update`: whether the averages are updated after the variables.
    """

    def __init__(
        self,
        opt: Any,
        average_decay: float = 0.9999,
        num_updates: Any = None,
        sequential_update: bool = True,
    ) -> None:
        self._optimizer, self._sequential = opt, sequential_update
        self._ema = v1.train.ExponentialMovingAverage(average_decay, num_updates=num_updates)
        self._swapped: dict[str, str] | None = None

    def compute_gradients(self, *args: Any, **kwargs: Any) -> Any:
        """The optimizer's."""
        return self._optimizer.compute_gradients(*args, **kwargs)

    def apply_gradients(self, grads_and_vars: Any, global_step: Any = None, name: str | None = None) -> Any:
        """The optimizer's update, with that of the averages."""
        pairs = list(grads_and_vars)
        update = self._optimizer.apply_gradients(pairs, global_step=global_step, name=name)
        trained = [variable for gradient, variable in pairs if gradient is not None]
        with tf.control_dependencies([update] if self._sequential else []):
            averages = self._ema.apply(trained)
        names = [(each.op.name, self._ema.average(each).op.name) for each in trained]
        self._swapped = dict(names) | {average: variable for variable, average in names}
        return tf.group(update, averages, name="train_with_avg")

    def swapping_saver(self, var_list: Any = None, name: str = "swapping_saver", **kwargs: Any) -> Any:
        """A Saver that saves each average under its variable's name, and the variable under the average's.

        Raises:
            RuntimeError: nothing was minimized before.
            ValueError: `var_list` has a variable without its average.
        """
        if self._swapped is None:
            raise RuntimeError("minimize or apply_gradients comes before swapping_saver")
        given = v1.global_variables() if var_list is None else var_list
        saved = given if isinstance(given, dict) else {each.op.name: each for each in given}
        by_name = {each.op.name: each for each in saved.values()}
        swapped = {}
        for key, variable in saved.items():
            other = self._swapped.get(variable.op.name, variable.op.name)
            if other not in by_name:
                raise ValueError(f"{other} has to be saved, too: it is swapped with {variable.op.name}")
            swapped[key] = by_name[other]
        return v1.train.Saver(swapped, name=name, **kwargs)


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

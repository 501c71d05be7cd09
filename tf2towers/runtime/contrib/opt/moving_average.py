"""`tf.contrib.opt.MovingAverageOptimizer`."""

from __future__ import annotations

from typing import Any

import tensorflow as tf


class MovingAverageOptimizer(tf.compat.v1.train.Optimizer):
    """Another optimizer, and moving averages of what it updates; `swapping_saver` saves them by the variables' names.

    Source: TF 1.15, `contrib/opt/python/training/moving_average_optimizer.py`.

    Args:
        opt: computes and applies the gradients.
        average_decay, num_updates: of the `tf.train.ExponentialMovingAverage`.
        sequential_update: whether the averages take what an update has made, or race with it.
    """

    def __init__(
        self, opt: Any, average_decay: float = 0.9999, num_updates: Any = None, sequential_update: bool = True
    ) -> None:
        self._optimizer = opt
        self._ema = tf.compat.v1.train.ExponentialMovingAverage(average_decay, num_updates=num_updates)
        self._swapped_names: dict[str, str] | None = None
        self._sequential_update = sequential_update

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
        self._swapped_names = {**averages, **{average: name for name, average in averages.items()}}
        return tf.group(train_op, averaged, name="train_with_avg")

    def swapping_saver(self, var_list: Any = None, name: str = "swapping_saver", **kwargs: Any) -> Any:
        """A `tf.train.Saver` that writes each average under its variable's name, and the variable under the average's.

        Raises:
            RuntimeError: nothing has been applied yet.
            ValueError: a variable is saved, and its average is not.
        """
        if self._swapped_names is None:
            raise RuntimeError("Must call apply_gradients or minimize before creating the swapping_saver")
        if var_list is None:
            var_list = tf.compat.v1.global_variables()
        if not isinstance(var_list, dict):
            var_list = {variable.op.name: variable for variable in var_list}
        swapped = {}
        for key, variable in var_list.items():
            other = self._swapped_names.get(key)
            if other is not None and other not in var_list:
                raise ValueError(
                    f"Variable to swap {other} is not part of variables to save. This breaks MovingAverageOptimizer."
                )
            swapped[key] = variable if other is None else var_list[other]
        return tf.compat.v1.train.Saver(swapped, name=name, **kwargs)

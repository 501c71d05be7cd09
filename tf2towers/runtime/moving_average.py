"""`tf.train.ExponentialMovingAverage` and `moving_averages.assign_moving_average`, for code in the replica function."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from tf2towers.runtime.tower_values import tower_name
from tf2towers.runtime.variable_store import VariableStore, current_store, updates_run


class ExponentialMovingAverage:
    """Shadow values of variables or tensors: shadow -= (1 - decay) * (shadow - value), once a step.

    The arithmetic is that of TF1's `moving_averages.assign_moving_average`. Unlike TF's own class under a strategy,
    which first averages the value over the replicas, each tower updates its copy from its own value, as in TF1: weights
    are equal on every tower and stay so, and a tower's losses keep an average of their own.

    Args:
        decay: float in [0, 1).
        num_updates: a step counter; the decay is then min(decay, (1 + num_updates) / (10 + num_updates)).
        zero_debias: not supported; the default False is TF1's.
        name: the suffix of the shadow variables' names.

    Raises:
        ValueError: `zero_debias` is asked for.
    """

    def __init__(
        self,
        decay: float,
        num_updates: Any = None,
        zero_debias: bool = False,
        name: str = "ExponentialMovingAverage",
    ) -> None:
        if zero_debias:
            raise ValueError("zero_debias=True has no counterpart here")
        self._decay = decay
        self._num_updates = num_updates
        self._name = name
        self._store: VariableStore | None = None

    @property
    def name(self) -> str:
        """The suffix of the shadow variables' names."""
        return self._name

    def apply(self, var_list: Sequence[Any] | None = None) -> Any:
        """Updates every shadow; returns the grouped op, to be depended on as in TF1."""
        self._store = current_store()
        values = list(tf.compat.v1.trainable_variables() if var_list is None else var_list)
        decay = tf.convert_to_tensor(self._decay, name="decay")
        if self._num_updates is not None:
            updates = tf.cast(self._num_updates, tf.float32, name="num_updates")
            decay = tf.minimum(decay, (1.0 + updates) / (10.0 + updates))
        return tf.group(*[self._update(value, decay) for value in values])

    def _update(self, value: Any, decay: Any) -> Any:
        shadow = self._shadow(value)
        if not updates_run():
            return shadow.read_value()
        rate = tf.cast(1.0 - decay, value.dtype.base_dtype)
        return shadow.assign_sub((shadow - value) * rate)

    def _shadow(self, value: Any) -> Any:
        store = self._store or current_store()
        is_variable = isinstance(value, tf.Variable)
        if is_variable:  # a weight's average starts at the weight, a tensor's at zero
            return store.make(self.average_name(value), value.read_value, trainable=False)
        shape, dtype = value.shape, value.dtype
        return store.make(
            self.average_name(value), lambda: tf.zeros(shape, dtype), trainable=False, mirrored=False
        )

    def average_name(self, var: Any) -> str:
        """The name the shadow of `var` has in a checkpoint, as in TF1: '<variable>/<suffix>'."""
        store = self._store or current_store()
        if isinstance(var, tf.Variable):
            return f"{store.name_of(var)}/{self._name}"
        return f"{tower_name(var.name).split(':')[0]}/{self._name}"

    def average(self, var: Any) -> Any:
        """The shadow variable of `var`, or None before the first `apply`."""
        store = self._store or current_store()
        name = self.average_name(var)
        try:
            return store[name]
        except KeyError:
            return None

    def variables_to_restore(self, moving_avg_variables: Sequence[Any] | None = None) -> dict[str, Any]:
        """Names to variables for an evaluation that reads the averages in place of the weights."""
        store = self._store or current_store()
        averaged = store.trainable_variables() if moving_avg_variables is None else list(moving_avg_variables)
        names = {self.average_name(variable): variable for variable in averaged}
        for name in store.names():
            if not any(store[name] is variable for variable in averaged) and name not in names:
                names[name] = store[name]
        return names


def assign_moving_average(
    variable: Any, value: Any, decay: Any, zero_debias: bool = True, name: str | None = None
) -> Any:
    """`moving_averages.assign_moving_average` for this tower: variable -= (1 - decay) * (variable - value).

    TensorFlow's own first averages `value` over the replicas; here a tower updates its copy from its own value, as a
    TF1 tower did, and `keep_statistics` says whose copy stays.

    Args:
        variable: a float variable.
        value: a tensor of the variable's shape and dtype.
        decay: a Python float, or a float tensor.
        zero_debias: whether to divide the average, begun at 0, by 1 - decay ** (number of updates), as TF1 does unless
            told otherwise; two more variables are then made, '<scope>/<variable>/biased' and '.../local_step'.
        name: of the operation; the default is 'AssignMovingAvg'.

    Returns:
        The new average, a tensor of the variable's shape and dtype.

    Raises:
        ValueError: `zero_debias` for one variable twice in a tower, outside a `reuse=True` scope: TF1 then made a
            second 'biased' variable or shared the first, by a setting of the scope that is not kept.
    """
    if not updates_run():
        return variable.read_value()
    with tf.compat.v1.name_scope(name, "AssignMovingAvg", [variable, value, decay]):
        rate = tf.convert_to_tensor(1.0 - decay, name="decay")
        if rate.dtype != variable.dtype.base_dtype:
            rate = tf.cast(rate, variable.dtype.base_dtype)
        if zero_debias:
            return _debiased(variable, value, rate)
        return tf.convert_to_tensor(variable.assign_sub((variable - value) * rate))


def _debiased(variable: Any, value: Any, rate: Any) -> Any:
    """The update of TF1's `_zero_debias`, operation for operation."""
    with tf.compat.v1.variable_scope(current_store().name_of(variable)) as scope:
        if scope.reuse is not True:
            _refuse_second_average(f"{scope.name}/biased")
        biased, local_step = (
            tf.compat.v1.get_variable(
                part, shape, variable.dtype.base_dtype, tf.compat.v1.zeros_initializer(), trainable=False
            )
            for part, shape in (("biased", variable.shape), ("local_step", []))
        )
    average = biased.assign_sub((biased - value) * rate)
    steps = local_step.assign_add(1)
    return tf.convert_to_tensor(variable.assign(average / (1 - tf.pow(1.0 - rate, steps))))


def _refuse_second_average(name: str) -> None:
    store = current_store()
    used = tf.compat.v1.get_collection(tf.compat.v1.GraphKeys.GLOBAL_VARIABLES)
    if name in store and any(store[name] is variable for variable in used):
        raise ValueError(
            f"{name!r} belongs to an average that this tower has updated already: which variable the second update "
            "has in TF1 depends on the scope's reuse; give zero_debias=False, or open the scope with reuse=True"
        )

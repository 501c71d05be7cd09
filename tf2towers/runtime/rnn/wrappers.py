"""Cells around a cell (`DropoutWrapper`, `ResidualWrapper`, `DeviceWrapper`); they have no variables of their own."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable, Iterator
from typing import Any

import tensorflow as tf

from tf2towers.runtime.layers.autograph import unconverted
from tf2towers.runtime.layers.base import Layer
from tf2towers.runtime.rnn.cell import RNNCell
from tf2towers.runtime.rnn.lstm import LSTMStateTuple

v1 = tf.compat.v1


class CellWrapper(RNNCell):
    """What the three share: sizes and zero state are the wrapped cell's, and so are the variables and their scope."""

    def __init__(self, cell: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        makes_state = hasattr(cell, "get_initial_state") or hasattr(cell, "zero_state")
        if not (
            hasattr(cell, "output_size") and hasattr(cell, "state_size") and makes_state and callable(cell)
        ):
            raise TypeError(f"The argument 'cell' ({cell}) is not an RNNCell.")
        self.cell = cell

    @property
    def wrapped_cell(self) -> Any:
        """The cell inside."""
        return self.cell

    @property
    def state_size(self) -> Any:
        """The wrapped cell's."""
        return self.cell.state_size

    @property
    def output_size(self) -> Any:
        """The wrapped cell's."""
        return self.cell.output_size

    @property
    def trainable_weights(self) -> list[Any]:
        """The wrapped cell's."""
        return self.cell.trainable_weights if self.trainable and isinstance(self.cell, Layer) else []

    @property
    def non_trainable_weights(self) -> list[Any]:
        """The wrapped cell's."""
        if not isinstance(self.cell, Layer):
            return []
        return self.cell.non_trainable_weights if self.trainable else self.cell.weights

    @unconverted
    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """The wrapped cell's."""
        with v1.name_scope(type(self).__name__ + "ZeroState", values=[batch_size]):
            return self.cell.zero_state(batch_size, dtype)

    @unconverted
    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:  # type: ignore[override]
        """One step of the wrapped cell, in its own scope, with what the wrapper adds."""
        return self.step(inputs, state, lambda inputs, state: self.cell(inputs, state, scope=scope))

    def step(self, inputs: Any, state: Any, call_cell: Callable[[Any, Any], Any]) -> Any:
        """What the wrapper adds, around `call_cell(inputs, state)`."""
        return call_cell(inputs, state)


class DropoutWrapper(CellWrapper):
    """`tf.nn.rnn_cell.DropoutWrapper`: dropout on inputs, outputs and state (never on the memory `c` of an LSTM).

    With `variational_recurrent` one mask, drawn when the wrapper is made, serves every step and every example.
    """

    def __init__(
        self,
        cell: Any,
        input_keep_prob: Any = 1.0,
        output_keep_prob: Any = 1.0,
        state_keep_prob: Any = 1.0,
        variational_recurrent: bool = False,
        input_size: Any = None,
        dtype: Any = None,
        seed: int | None = None,
        dropout_state_filter_visitor: Callable[[Any], Any] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(cell, dtype=dtype, **kwargs)
        if dropout_state_filter_visitor is not None and not callable(dropout_state_filter_visitor):
            raise TypeError("dropout_state_filter_visitor must be callable")
        self._filter = dropout_state_filter_visitor or _all_but_memory
        self._input_keep_prob = _probability("input_keep_prob", input_keep_prob)
        self._state_keep_prob = _probability("state_keep_prob", state_keep_prob)
        self._output_keep_prob = _probability("output_keep_prob", output_keep_prob)
        self._seed = seed
        self._noise: dict[str, Any] | None = None
        if variational_recurrent:
            if dtype is None:
                raise ValueError("When variational_recurrent=True, dtype must be provided")
            if _drops(self._input_keep_prob) and input_size is None:
                raise ValueError(
                    "When variational_recurrent=True and input_keep_prob < 1.0 or is unknown, "
                    "input_size must be provided"
                )
            sizes = {"input": input_size, "state": cell.state_size, "output": cell.output_size}
            if not _drops(self._input_keep_prob):
                del sizes["input"]
            self._noise = {part: self._draw(part, size, dtype) for part, size in sizes.items()}

    def step(self, inputs: Any, state: Any, call_cell: Callable[[Any, Any], Any]) -> Any:
        """Inputs, then the cell, then its state and its output."""
        if _drops(self._input_keep_prob):
            inputs = self._drop("input", inputs, self._input_keep_prob)
        output, new_state = call_cell(inputs, state)
        if _drops(self._state_keep_prob):
            new_state = self._drop("state", new_state, self._state_keep_prob, self._filter)
        if _drops(self._output_keep_prob):
            output = self._drop("output", output, self._output_keep_prob)
        return output, new_state

    def _drop(self, part: str, values: Any, keep_prob: Any, chosen: Any = lambda _: True) -> Any:
        places = itertools.count()
        noise = None if self._noise is None else self._noise[part]

        def drop(value: tf.Tensor, mask: tf.Tensor) -> tf.Tensor:
            place = next(places)
            if self._noise is None:
                return tf.nn.dropout(value, rate=1.0 - keep_prob, seed=self._seed_of(part, place))
            dropped = tf.divide(value, keep_prob) * tf.floor(keep_prob + mask)
            dropped.set_shape(value.shape)
            return dropped

        def keep(value: Any, _: Any) -> Any:
            next(places)
            return value

        return _map_chosen(chosen, values, noise, drop, keep)

    def _draw(self, part: str, sizes: Any, dtype: Any) -> Any:
        places = itertools.count()

        def draw(size: Any) -> tf.Tensor:
            shape = [1, *tf.TensorShape([size] if isinstance(size, int) else size).as_list()]
            return tf.random.uniform(shape, seed=self._seed_of(part, next(places)), dtype=dtype)

        return tf.nest.map_structure(draw, sizes)

    def _seed_of(self, part: str, place: int) -> int | None:
        if self._seed is None:
            return None
        text = f"{self._seed}{part}_{place}".encode()
        return int(hashlib.md5(text).hexdigest()[:8], 16) & 0x7FFFFFFF


class ResidualWrapper(CellWrapper):
    """`tf.nn.rnn_cell.ResidualWrapper`: adds the inputs to the outputs, or `residual_fn(inputs, outputs)`."""

    def __init__(
        self, cell: Any, residual_fn: Callable[[Any, Any], Any] | None = None, **kwargs: Any
    ) -> None:
        super().__init__(cell, **kwargs)
        self._residual_fn = residual_fn

    def step(self, inputs: Any, state: Any, call_cell: Callable[[Any, Any], Any]) -> Any:
        """The cell, then the sum."""
        outputs, new_state = call_cell(inputs, state)
        return (self._residual_fn or _sum)(inputs, outputs), new_state


class DeviceWrapper(CellWrapper):
    """`tf.nn.rnn_cell.DeviceWrapper`: runs the cell with `tf.device(device)`."""

    def __init__(self, cell: Any, device: Any, **kwargs: Any) -> None:
        super().__init__(cell, **kwargs)
        self._device = device

    @unconverted
    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """The wrapped cell's, on the device."""
        with v1.device(self._device):
            return super().zero_state(batch_size, dtype)

    def step(self, inputs: Any, state: Any, call_cell: Callable[[Any, Any], Any]) -> Any:
        """The cell, on the device."""
        with v1.device(self._device):
            return call_cell(inputs, state)


def _sum(inputs: Any, outputs: Any) -> Any:
    def add(first: tf.Tensor, second: tf.Tensor) -> tf.Tensor:
        first.shape.assert_is_compatible_with(second.shape)
        return first + second

    tf.nest.assert_same_structure(inputs, outputs)
    return tf.nest.map_structure(add, inputs, outputs)


def _probability(name: str, value: Any) -> Any:
    """A float where the value is known, else a tensor. Raises ValueError outside [0, 1]."""
    tensor = tf.convert_to_tensor(value)
    known = tf.get_static_value(tensor)
    if known is None:
        return tensor
    if not 0 <= known <= 1:
        raise ValueError(f"Parameter {name} must be between 0 and 1: {known}")
    return float(known)


def _drops(keep_prob: Any) -> bool:
    return not isinstance(keep_prob, float) or keep_prob < 1


def _all_but_memory(state: Any) -> Any:
    if isinstance(state, LSTMStateTuple):
        return LSTMStateTuple(c=False, h=True)
    return not isinstance(state, tf.TensorArray)


def _map_chosen(
    chosen: Callable[[Any], Any],
    values: Any,
    noise: Any,
    drop: Callable[[Any, Any], Any],
    keep: Callable[[Any, Any], Any],
) -> Any:
    """`drop` of every tensor that `chosen` says yes to; `keep` of each part it says no to, as a whole.

    `chosen` answers for any level of the structure: with a bool for all of it, or with one bool for each branch.
    """
    answer = chosen(values)
    if answer is False:
        return keep(values, noise)
    if not tf.nest.is_nested(values):
        return drop(values, noise)

    def branches() -> Iterator[Any]:
        keys = sorted(values) if isinstance(values, dict) else range(len(values))
        for key in keys:
            mask = None if noise is None else noise[key]
            if answer is True or answer[key]:
                yield key, _map_chosen(chosen, values[key], mask, drop, keep)
            else:
                yield key, keep(values[key], mask)

    mapped = dict(branches())
    if isinstance(values, dict):
        return type(values)(mapped)
    parts = list(mapped.values())
    return type(values)(*parts) if hasattr(values, "_fields") else type(values)(parts)

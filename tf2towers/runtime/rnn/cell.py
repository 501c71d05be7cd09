"""What every recurrent cell does: one step, from inputs and a state to outputs and the next state."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from tf2towers.runtime.layers.autograph import unconverted
from tf2towers.runtime.layers.base import Layer

v1 = tf.compat.v1


class RNNCell(Layer):
    """`tf.nn.rnn_cell.RNNCell`: base of cells whose `call` makes its variables with `get_variable`.

    A subclass states `state_size` (an int, a `TensorShape` or a nest of them) and `output_size`, and computes
    `output, next_state = call(inputs, state)` of inputs (batch, depth) and a state of tensors (batch, size).
    """

    def __init__(self, trainable: bool = True, name: Any = None, dtype: Any = None, **kwargs: Any) -> None:
        super().__init__(trainable=trainable, name=name, dtype=dtype, **kwargs)
        self._outer_scope: Any = None

    @unconverted
    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:  # type: ignore[override]
        """One step; the first one decides the variable scope."""
        if scope is not None:
            with v1.variable_scope(scope, custom_getter=self._get_and_remember) as opened:
                return super().__call__(inputs, state, scope=opened)
        if self._outer_scope is None:
            self._outer_scope = v1.get_variable_scope()
        with v1.variable_scope(self._outer_scope, custom_getter=self._get_and_remember):
            return super().__call__(inputs, state)

    def _get_and_remember(self, getter: Any, *args: Any, **kwargs: Any) -> Any:
        variable = getter(*args, **kwargs)
        self._remember(variable, bool(getattr(variable, "trainable", False)))
        return variable

    @property
    def state_size(self) -> Any:
        """The size, or a nest of the sizes, of the state."""
        raise NotImplementedError("Abstract method")

    @property
    def output_size(self) -> Any:
        """The size of the output."""
        raise NotImplementedError("Abstract method")

    def get_initial_state(self, inputs: Any = None, batch_size: Any = None, dtype: Any = None) -> Any:
        """`zero_state` for these inputs (batch, ...), or for a batch size and a type.

        Raises:
            ValueError: neither is given, or they contradict each other.
        """
        if inputs is not None:
            inputs = tf.convert_to_tensor(inputs)
            known = inputs.shape.as_list()[0]
            given = tf.get_static_value(batch_size) if tf.is_tensor(batch_size) else batch_size
            if batch_size is not None and known != given:
                raise ValueError(f"batch size of the inputs is {known}, batch_size is {given}")
            if dtype is not None and inputs.dtype != tf.as_dtype(dtype):
                raise ValueError(f"dtype of the inputs is {inputs.dtype}, dtype is {dtype}")
            batch_size = known or tf.shape(inputs)[0]
            dtype = inputs.dtype
        if batch_size is None or dtype is None:
            raise ValueError(f"batch_size and dtype cannot be None: batch_size={batch_size}, dtype={dtype}")
        return self.zero_state(batch_size, dtype)

    @unconverted
    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """Zeros of the structure of `state_size`, each (batch_size, size)."""
        with v1.name_scope(type(self).__name__ + "ZeroState", values=[batch_size]):
            return tf.nest.map_structure(lambda size: _zeros(batch_size, size, dtype), self.state_size)


class LayerRNNCell(RNNCell):
    """Base of cells that make their variables in `build`, as layers do (`tf.contrib.rnn.LayerRNNCell`)."""

    @unconverted
    def __call__(self, inputs: Any, state: Any, scope: Any = None, *args: Any, **kwargs: Any) -> Any:  # type: ignore[override]
        """One step; the first one makes the variables."""
        return Layer.__call__(self, inputs, state, *args, scope=scope, **kwargs)


def _zeros(batch_size: Any, size: Any, dtype: Any) -> tf.Tensor:
    sizes = tf.TensorShape(size).as_list() if not isinstance(size, int) else [size]
    zeros = tf.zeros(tf.stack([batch_size, *sizes]), dtype)
    zeros.set_shape([tf.get_static_value(batch_size) if tf.is_tensor(batch_size) else batch_size, *sizes])
    return zeros


def known_depth(inputs_shape: Any) -> int:
    """The last dimension of a cell's inputs, which the shape of its kernel needs."""
    depth = tf.TensorShape(inputs_shape).as_list()[-1]
    if depth is None:
        raise ValueError(f"Expected inputs.shape[-1] to be known, saw shape: {inputs_shape}")
    return int(depth)


def check_floating(*values: Any) -> None:
    """Raises ValueError where a type, or a tensor of a nest, is neither floating point nor complex."""
    for value in tf.nest.flatten(values):
        dtype = None if value is None else tf.as_dtype(getattr(value, "dtype", value))
        if dtype is not None and not (dtype.is_floating or dtype.is_complex):
            raise ValueError(f"RNN cell only supports floating point inputs, but saw dtype: {dtype}")

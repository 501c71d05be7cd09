"""Cells on top of each other (`MultiRNNCell`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from tf2towers.runtime.layers.autograph import unconverted
from tf2towers.runtime.layers.base import Layer
from tf2towers.runtime.rnn.cell import RNNCell

v1 = tf.compat.v1


class MultiRNNCell(RNNCell):
    """`tf.nn.rnn_cell.MultiRNNCell`: each cell's outputs are the next one's inputs; scopes `cell_0`, `cell_1`, ..."""

    def __init__(self, cells: Sequence[Any], state_is_tuple: bool = True) -> None:
        super().__init__()
        if not cells:
            raise ValueError("Must specify at least one cell for MultiRNNCell.")
        if not tf.nest.is_nested(cells):
            raise TypeError(f"cells must be a list or tuple, but saw: {cells}.")
        if not state_is_tuple and any(tf.nest.is_nested(cell.state_size) for cell in cells):
            raise ValueError(
                "Some cells return tuples of states, but the flag state_is_tuple is not set. "
                f"State sizes are: {[cell.state_size for cell in cells]}"
            )
        self._cells = cells
        self._state_is_tuple = state_is_tuple

    @property
    def state_size(self) -> Any:
        """The sizes of all cells, or their sum where the state is one tensor."""
        sizes = tuple(cell.state_size for cell in self._cells)
        return sizes if self._state_is_tuple else sum(sizes)

    @property
    def output_size(self) -> Any:
        """The last cell's."""
        return self._cells[-1].output_size

    @unconverted
    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """The zero states of all cells."""
        if not self._state_is_tuple:
            return super().zero_state(batch_size, dtype)
        with v1.name_scope(type(self).__name__ + "ZeroState", values=[batch_size]):
            return tuple(cell.zero_state(batch_size, dtype) for cell in self._cells)

    @property
    def trainable_weights(self) -> list[Any]:
        """Those of all cells."""
        cells = [cell for cell in self._cells if isinstance(cell, Layer)]
        return [weight for cell in cells for weight in cell.trainable_weights] if self.trainable else []

    @property
    def non_trainable_weights(self) -> list[Any]:
        """Those of all cells."""
        cells = [cell for cell in self._cells if isinstance(cell, Layer)]
        return [
            weight
            for cell in cells
            for weight in (cell.non_trainable_weights if self.trainable else cell.weights)
        ]

    def call(self, inputs: tf.Tensor, state: Any) -> tuple[tf.Tensor, Any]:
        """Inputs and a state -> the last cell's output and the next state of all."""
        position, new_states = 0, []
        for i, cell in enumerate(self._cells):
            with v1.variable_scope(f"cell_{i}"):
                if self._state_is_tuple:
                    if not tf.nest.is_nested(state):
                        raise ValueError(
                            f"Expected state to be a tuple of length {len(self._cells)}: {state}"
                        )
                    of_cell = state[i]
                else:
                    of_cell = tf.slice(state, [0, position], [-1, cell.state_size])
                    position += cell.state_size
                inputs, new_state = cell(inputs, of_cell)
                new_states.append(new_state)
        return inputs, tuple(new_states) if self._state_is_tuple else tf.concat(new_states, 1)

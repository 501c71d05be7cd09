"""Batches that a training function takes from an iterator itself: `next(iterator)` inside the `tf.function`."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow.python.data.ops.iterator_ops import OwnedIterator
from tensorflow.python.distribute import input_lib
from tensorflow.python.distribute.values import PerReplica

from tf2towers.instrumentation.wrapping import Nesting, wrap
from tf2towers.parity.migrated.inputs import Inputs, Part
from tf2towers.parity.migrated.python_operations import python_op
from tf2towers.parity.migrated.tracing import Tracing
from tf2towers.parity.recording import Arrays


class Iterated:
    """Puts the original's batches in the place of what iterators give inside the function being traced.

    Attributes:
        inputs: that one.
        now: the original's inputs of the step under way; None outside training steps.
        used: those that were given in it.
    """

    def __init__(self, tracing: Tracing, inputs: Inputs) -> None:
        self.now: Arrays | None = None
        self.used: Arrays = {}
        self._tracing, self.inputs = tracing, inputs
        self._nesting = Nesting()
        for kind in (OwnedIterator, input_lib.DistributedIteratorBase):
            for name in ("get_next", "__next__"):
                if name in vars(kind):
                    wrap(kind, name, self._taken)

    def _taken(self, get: Any, *args: Any, **kwargs: Any) -> Any:
        if tf.executing_eagerly() or not self._tracing.outermost:
            return get(*args, **kwargs)
        with self._nesting.entered() as outermost:  # one may call the other
            element = get(*args, **kwargs)
        return self._given(element) if outermost else element

    def _given(self, element: Any) -> Any:
        leaves = tf.nest.flatten(element)
        parts = [list(leaf.values) if isinstance(leaf, PerReplica) else [leaf] for leaf in leaves]
        flat = [part for replicas in parts for part in replicas]
        if not all(isinstance(part, tf.Tensor) for part in flat):
            return element
        lengths = [len(replicas) for replicas in parts]

        def give(*arrays: Any) -> list[np.ndarray]:
            own = [np.asarray(array) for array in arrays]
            if self.now is None:
                return own
            rest = iter(own)
            grouped: list[Part] = [[next(rest) for _ in range(length)] for length in lengths]
            values, used = self.inputs.replaced(grouped, self.now)
            self.used.update(used)
            given = [value for replicas in values for value in replicas or []]
            return [value.astype(mine.dtype) for mine, value in zip(own, given, strict=True)]

        made = iter(python_op(give, flat, [part.dtype for part in flat]))
        filled = []
        for leaf, replicas in zip(leaves, parts, strict=True):
            new = []
            for part in replicas:
                tensor = next(made)
                tensor.set_shape(part.shape)
                new.append(tensor)
            filled.append(PerReplica(new) if isinstance(leaf, PerReplica) else new[0])
        return tf.nest.pack_sequence_as(element, filled)

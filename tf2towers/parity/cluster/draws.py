"""Random numbers in a cluster: a worker's step draws what the same worker of the original drew at this step."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow.python.ops import gen_random_ops

from tf2towers.instrumentation.wrapping import wrap
from tf2towers.parity.migrated.draws import DRAWING

#: Numbers go to a worker as arguments of the step's function; this type holds all of them exactly, indices too.
SPEC = tf.TensorSpec(None, tf.float64)


class ClusterDraws:
    """Puts given numbers in the place of those that a step draws, in the order of its code.

    Args:
        count: how many a step is given; those after them are its own, as in loops and branches.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self._given: Sequence[Any] = ()
        self._place = 0
        self._graph: Any = None
        for name in DRAWING if count else ():
            wrap(gen_random_ops, name, self._drawn)

    def padded(self, draws: Sequence[np.ndarray]) -> list[np.ndarray]:
        """So many arrays; empty ones, which are not used, after the last."""
        found = [np.asarray(draw, np.float64) for draw in draws[: self.count]]
        return found + [np.zeros([0])] * (self.count - len(found))

    @contextlib.contextmanager
    def given(self, tensors: Sequence[Any]) -> Iterator[None]:
        """What is drawn in the function being traced is taken from `tensors`."""
        self._given, self._place, self._graph = tensors, 0, tf.compat.v1.get_default_graph()
        try:
            yield
        finally:
            self._given, self._graph = (), None

    def _drawn(self, draw: Any, *args: Any, **kwargs: Any) -> Any:
        own = draw(*args, **kwargs)
        if tf.compat.v1.get_default_graph() is not self._graph or self._place >= len(self._given):
            return own
        value = self._given[self._place]
        self._place += 1
        chosen = tf.cond(
            tf.equal(tf.size(value), tf.size(own)),
            lambda: tf.cast(tf.reshape(value, tf.shape(own)), own.dtype),
            lambda: own,
        )
        chosen.set_shape(own.shape)
        return chosen

"""Random numbers: those that the original drew in the same tower, at the same place of its code."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow.python.ops import gen_random_ops, gen_stateless_random_ops_v2

from tf2towers.verify.functions.tracing import Tracing, python_op, tower
from tf2towers.verify.recorder.wrapping import wrap

DRAWING = (
    "random_uniform",
    "random_uniform_int",
    "random_standard_normal",
    "truncated_normal",
    "parameterized_truncated_normal",
    "random_shuffle",
    "multinomial",
    "random_gamma",
    "random_poisson_v2",
)
#: Keras's layers draw with a seed of their own, as its Dropout
STATELESS = ("stateless_random_uniform_v2", "stateless_random_normal_v2", "stateless_truncated_normal_v2")


class Draws:
    """Puts the original's numbers in the place of the program's own.

    Attributes:
        now: the draws of the step under way, 'TOWER|PLACE' to array; None outside training steps.
        missing: sentences about numbers that the original has not drawn.
    """

    def __init__(self, tracing: Tracing) -> None:
        self.now: Mapping[str, np.ndarray] | None = None
        self.missing: set[str] = set()
        self._tracing = tracing
        for module, names in ((gen_random_ops, DRAWING), (gen_stateless_random_ops_v2, STATELESS)):
            for name in names:
                wrap(module, name, functools.partial(self._drawn, name))

    def _drawn(self, name: str, draw: Any, *args: Any, **kwargs: Any) -> Any:
        own = draw(*args, **kwargs)
        if tf.executing_eagerly() or not self._tracing.outermost:
            return own
        given = python_op(self._given(name), [own], own.dtype)
        given.set_shape(own.shape)
        return given

    def _given(self, name: str) -> Callable[[np.ndarray], np.ndarray]:
        index, counts = tower(), self._tracing.draws
        place = counts.get(index, 0)
        counts[index] = place + 1
        if index is not None:  # in TF1 what is drawn before the loop is each tower's
            place += counts.get(None, 0)
        key = f"{index or 0}|{place}"

        def give(own: np.ndarray) -> np.ndarray:
            if self.now is None:
                return own
            found = self.now.get(key)
            if found is None or found.shape != own.shape:
                self.missing.add(
                    f"{name} number {place} of tower {index or 0} is drawn in the migrated run only"
                )
                return own
            return found.astype(own.dtype)

        return give

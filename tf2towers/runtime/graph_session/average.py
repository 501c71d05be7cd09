"""`all_reduce_mean`: the mean of the towers' gradients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorflow as tf


def all_reduce_mean(tower_grads: Sequence[Sequence[tuple[Any, Any]]]) -> list[tuple[Any, Any]]:
    """The mean of each variable's gradients over the towers, one all-reduce on the strategy.

    It builds the operations of the classic `average_gradients`, under the names they had there;
    `all_reduce.py` makes the all-reduce of them when they are run.

    Args:
        tower_grads: a list over towers of lists of (gradient, variable), as `compute_gradients` returns them.

    Returns:
        A list of (mean gradient, variable), the variable as the first tower names it.

    Raises:
        ValueError: a gradient is None, as in TF1. A `tf.IndexedSlices` becomes dense, as there.
    """
    averaged = []
    for pairs in zip(*tower_grads, strict=False):
        expanded = [tf.expand_dims(gradient, 0) for gradient, _ in pairs]
        mean = tf.reduce_mean(tf.concat(axis=0, values=expanded), 0)
        averaged.append((mean, pairs[0][1]))
    return averaged

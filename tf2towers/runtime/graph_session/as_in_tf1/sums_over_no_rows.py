"""Gradients of sums over rows: of no rows they are zeros in TensorFlow 1.15, and unset memory in 2.21.

There the gradient of a sum is an operation of its own, which has no gradient; in 1.15 it had one.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import tensorflow as tf
from tensorflow.python.framework import ops

#: sums over rows that are chosen by their places
_SUMS_OVER_ROWS = ("SparseSegmentSum", "SparseSegmentMean", "SparseSegmentSqrtN")

_Gradient = Callable[..., Any]


def sums_over_no_rows_have_no_gradient() -> None:
    """Gives `tf.sparse_segment_sum` and its kin zeros for a gradient where no row is chosen (a batch without ids)."""
    known: dict[str, dict[str, Any]] = ops._gradient_registry._registry
    for name in _SUMS_OVER_ROWS:
        for operation in (name, f"{name}WithNumSegments"):
            plain = known[operation]["type"]
            if not hasattr(plain, "__wrapped__"):
                known[operation]["type"] = _zeros_of_no_rows(plain)


def sums_over_rows_have_second_gradients() -> None:
    """Gives the gradient of `tf.sparse_segment_sum` a gradient: a sum over the same rows."""
    known: dict[str, dict[str, Any]] = ops._gradient_registry._registry
    if "SparseSegmentSumGrad" not in known:
        ops.RegisterGradient("SparseSegmentSumGrad")(_sum_over_the_same_rows)


def _sum_over_the_same_rows(operation: Any, above: Any) -> Any:
    gradient, places, segments, _ = operation.inputs
    segment_count = tf.shape(gradient)[0]
    sums = tf.sparse.segment_sum(above, places, segments, num_segments=segment_count)
    return (sums, None, None, None)


def _zeros_of_no_rows(plain: _Gradient) -> _Gradient:
    @wraps(plain)
    def gradient(operation: Any, *above: Any) -> Any:
        rows, *others = plain(operation, *above)
        if isinstance(rows, tf.Tensor):  # slices of no rows are none
            rows = tf.where(tf.size(operation.inputs[1]) > 0, rows, tf.zeros_like(rows))
        return (rows, *others)

    return gradient


__all__ = ["sums_over_no_rows_have_no_gradient", "sums_over_rows_have_second_gradients"]

"""`tensorflow.python.framework.tensor_shape`: names for shapes, which TF 2 lacks."""

from __future__ import annotations

import tensorflow as tf


def scalar() -> tf.TensorShape:
    """The shape of one value."""
    return tf.TensorShape([])


def vector(length: int | None) -> tf.TensorShape:
    """The shape of a vector."""
    return tf.TensorShape([length])


def matrix(rows: int | None, cols: int | None) -> tf.TensorShape:
    """The shape of a matrix."""
    return tf.TensorShape([rows, cols])

"""`scalar`, `vector` and `matrix` of `tensorflow.python.framework.tensor_shape`."""

import tensorflow as tf


def scalar() -> tf.TensorShape:
    """The shape of a number."""
    return tf.TensorShape([])


def vector(length: int | None) -> tf.TensorShape:
    """The shape of a vector."""
    return tf.TensorShape([length])


def matrix(rows: int | None, cols: int | None) -> tf.TensorShape:
    """The shape of a matrix."""
    return tf.TensorShape([rows, cols])

"""Questions to tensors that TF 2 answers otherwise, or no more."""

from __future__ import annotations

from typing import Any

import tensorflow as tf


def is_sparse(tensor: Any) -> bool:
    """Whether it is a SparseTensor (`tf.keras.backend.is_sparse`)."""
    return isinstance(tensor, tf.SparseTensor)


def class_of(value: Any) -> type:
    """The class that TF 1 gave a value: `tf.Tensor` for a graph's tensors, which have a subclass of it in TF 2."""
    return tf.Tensor if isinstance(value, tf.Tensor) else type(value)

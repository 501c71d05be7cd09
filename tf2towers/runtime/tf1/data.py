"""What `tf.contrib.data` had, and `tf.data` has as arguments: transformations for `dataset.apply(...)`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

Transformation = Callable[[tf.data.Dataset], tf.data.Dataset]


def batch_and_drop_remainder(batch_size: Any) -> Transformation:
    """Batches of that size; what is left at the end is dropped."""
    return lambda dataset: dataset.batch(batch_size, drop_remainder=True)


def padded_batch_and_drop_remainder(
    batch_size: Any, padded_shapes: Any, padding_values: Any = None
) -> Transformation:
    """Padded batches of that size; what is left at the end is dropped."""
    return lambda dataset: dataset.padded_batch(
        batch_size, padded_shapes=padded_shapes, padding_values=padding_values, drop_remainder=True
    )

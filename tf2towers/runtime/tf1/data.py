"""What `tf.contrib.data` had, and `tf.data` has as an argument: a transformation for `dataset.apply(...)`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf


def batch_and_drop_remainder(batch_size: Any) -> Callable[[tf.data.Dataset], tf.data.Dataset]:
    """Batches of that size; what is left at the end is dropped."""
    return lambda dataset: dataset.batch(batch_size, drop_remainder=True)

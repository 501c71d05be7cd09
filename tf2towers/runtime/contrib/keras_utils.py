"""`to_categorical` of TF 1.15's `tf.keras.utils`: that of Keras 3 gives another type."""

from __future__ import annotations

from typing import Any

import numpy as np


def to_categorical(y: Any, num_classes: int | None = None, dtype: Any = "float32") -> Any:
    """One row of `num_classes` values for each class number, 1 at its place and 0 elsewhere."""
    numbers = np.array(y, dtype="int")
    shape = numbers.shape
    if len(shape) > 1 and shape[-1] == 1:
        shape = shape[:-1]
    numbers = numbers.ravel()
    if not num_classes:
        num_classes = int(np.max(numbers)) + 1
    rows = np.zeros((len(numbers), num_classes), dtype=dtype)
    rows[np.arange(len(numbers)), numbers] = 1
    return np.reshape(rows, (*shape, num_classes))

"""What a step is fed in the place of a placeholder of whole numbers, or of truth values."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf


def as_fed(value: Any, dtype: tf.DType) -> tf.Tensor:
    """What `sess.run` took a value for that was fed to a placeholder: a list of floats for int64, 1 for bool.

    TensorFlow converts an array to another type, and refuses Python's numbers and lists; a session converted both.
    """
    return tf.convert_to_tensor(np.asarray(value, dtype.as_numpy_dtype))


class FedTensorSpec(tf.TensorSpec):
    """A `tf.TensorSpec` that takes what was fed to a placeholder, as `as_fed` does."""

    def cast(self, value: Any, casting_context: Any) -> Any:
        """The value as a tensor of this type."""
        if not isinstance(value, tf.Tensor | tf.TypeSpec):
            value = as_fed(value, self.dtype)
        return super().cast(value, casting_context)

"""Questions to tensors that stood in TF 1's tf.keras.backend."""

from __future__ import annotations

from typing import Any

import tensorflow as tf


def is_sparse(tensor: Any) -> bool:
    """Whether it is a SparseTensor (`tf.keras.backend.is_sparse`)."""
    return isinstance(tensor, tf.SparseTensor)

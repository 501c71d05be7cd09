"""`tf.contrib.slim.learning` for originals: the runtime's, under TensorFlow's own Supervisor and sessions."""

from __future__ import annotations

from functools import partial

import tensorflow as tf

from tf2towers.runtime.slim.learning import (
    add_gradients_summaries,
    clip_gradient_norms,
    create_train_op,
    multiply_gradients,
    train_step,
)
from tf2towers.runtime.slim.learning import train as _train

train = partial(_train, _supervisor=tf.compat.v1.train.Supervisor)

__all__ = [
    "add_gradients_summaries",
    "clip_gradient_norms",
    "create_train_op",
    "multiply_gradients",
    "train",
    "train_step",
]

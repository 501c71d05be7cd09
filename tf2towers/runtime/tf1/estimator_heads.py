"""Heads of `tf.contrib.estimator`: those of TensorFlow 1's canned models, whose losses are means over the batch."""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

from tf2towers.runtime.tf1 import estimator as _estimator  # noqa: F401 - tensorflow-estimator is imported by it

# isort: split
from tensorflow_estimator.python.estimator.canned import head as _head
from tensorflow_estimator.python.estimator.canned.optimizers import (
    get_optimizer_instance as get_optimizer_instance,
)

_MEAN = tf.losses.Reduction.SUM_OVER_BATCH_SIZE
_binary_logistic_or_multi_class_head = _head._binary_logistic_or_multi_class_head
_binary_logistic_head_with_sigmoid_cross_entropy_loss = (
    _head._binary_logistic_head_with_sigmoid_cross_entropy_loss
)
_multi_class_head_with_softmax_cross_entropy_loss = _head._multi_class_head_with_softmax_cross_entropy_loss
_regression_head = _head._regression_head


def binary_classification_head(
    weight_column: Any = None,
    thresholds: Any = None,
    label_vocabulary: Any = None,
    loss_reduction: str = _MEAN,
    loss_fn: Any = None,
    name: str | None = None,
) -> Any:
    """A head of two classes, with one logit."""
    return _binary_logistic_head_with_sigmoid_cross_entropy_loss(
        weight_column, thresholds, label_vocabulary, loss_reduction, loss_fn, name
    )


def multi_class_head(
    n_classes: int,
    weight_column: Any = None,
    label_vocabulary: Any = None,
    loss_reduction: str = _MEAN,
    loss_fn: Any = None,
    name: str | None = None,
) -> Any:
    """A head of more than two classes, with a logit for each."""
    return _multi_class_head_with_softmax_cross_entropy_loss(
        n_classes, weight_column, label_vocabulary, loss_reduction, loss_fn, name
    )


def regression_head(
    weight_column: Any = None,
    label_dimension: int = 1,
    loss_reduction: str = _MEAN,
    loss_fn: Any = None,
    inverse_link_fn: Any = None,
    name: str | None = None,
) -> Any:
    """A head of numbers, by default with squared errors."""
    return _regression_head(weight_column, label_dimension, loss_reduction, loss_fn, inverse_link_fn, name)


def poisson_regression_head(
    weight_column: Any = None,
    label_dimension: int = 1,
    loss_reduction: str = _MEAN,
    compute_full_loss: bool = True,
    name: str | None = None,
) -> Any:
    """A head of counts, whose logits are the logarithms of their means."""

    def loss(labels: Any, logits: Any) -> Any:
        return tf.nn.log_poisson_loss(labels, logits, compute_full_loss)

    return _regression_head(weight_column, label_dimension, loss_reduction, loss, tf.exp, name)

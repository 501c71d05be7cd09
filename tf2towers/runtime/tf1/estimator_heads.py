"""Heads of `tf.contrib.estimator`: those of canned models, with means over the batch."""

from __future__ import annotations

import inspect
from collections.abc import Callable
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


def _of_means(head: Callable[..., Any]) -> Callable[..., Any]:
    """A head of the same arguments whose loss is by default the batch's mean, not its sum."""
    signature = inspect.signature(head)

    def made(*args: Any, **kwargs: Any) -> Any:
        given = signature.bind(*args, **kwargs).arguments
        return head(**{"loss_reduction": _MEAN, **given})

    return made


binary_classification_head = _of_means(_binary_logistic_head_with_sigmoid_cross_entropy_loss)
multi_class_head = _of_means(_multi_class_head_with_softmax_cross_entropy_loss)
regression_head = _of_means(_regression_head)


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

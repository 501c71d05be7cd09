"""`tf.contrib.losses`, also `slim.losses`: predictions first, labels second (in `tf.losses` it is the other way round).

Each loss is a scalar mean over the elements whose weight is not zero, and is added to the LOSSES collection.
"""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from tf2towers.runtime.layers.autograph import unconverted
from tf2towers.runtime.slim.arg_scopes import add_arg_scope

v1 = tf.compat.v1

__all__ = [
    "absolute_difference",
    "add_loss",
    "compute_weighted_loss",
    "cosine_distance",
    "get_losses",
    "get_regularization_losses",
    "get_total_loss",
    "hinge_loss",
    "log_loss",
    "mean_pairwise_squared_error",
    "mean_squared_error",
    "sigmoid_cross_entropy",
    "softmax_cross_entropy",
    "sparse_softmax_cross_entropy",
]


@add_arg_scope
def add_loss(loss: tf.Tensor, loss_collection: str | None = v1.GraphKeys.LOSSES) -> None:
    """`tf.contrib.losses.add_loss`."""
    if loss_collection:
        v1.add_to_collection(loss_collection, loss)


def get_losses(scope: str | None = None, loss_collection: str = v1.GraphKeys.LOSSES) -> list[tf.Tensor]:
    """`tf.contrib.losses.get_losses`: those whose name starts with `scope`."""
    return list(v1.get_collection(loss_collection, scope))


def get_regularization_losses(scope: str | None = None) -> list[tf.Tensor]:
    """`tf.contrib.losses.get_regularization_losses`."""
    return list(v1.get_collection(v1.GraphKeys.REGULARIZATION_LOSSES, scope))


@unconverted
def get_total_loss(add_regularization_losses: bool = True, name: str = "total_loss") -> tf.Tensor:
    """`tf.contrib.losses.get_total_loss`: the sum of all losses, and of the regularization losses."""
    losses = get_losses()
    if add_regularization_losses:
        losses += get_regularization_losses()
    return tf.add_n(losses, name=name)


@unconverted
def compute_weighted_loss(losses: tf.Tensor, weights: Any = 1.0, scope: str | None = None) -> tf.Tensor:
    """`tf.contrib.losses.compute_weighted_loss`: losses (batch, ...), weights scalar, (batch,) or (batch, ...)."""
    with v1.name_scope(scope, "weighted_loss", [losses, weights]):
        losses = tf.convert_to_tensor(losses)
        dtype = losses.dtype
        losses = tf.cast(losses, tf.float32)
        weights = tf.cast(tf.convert_to_tensor(weights), tf.float32)
        if losses.shape.rank is None or weights.shape.rank is None:
            raise ValueError("the rank of losses and weights must be known")
        if weights.shape.rank > 1 and weights.shape[-1:].is_compatible_with([1]):
            weights = tf.squeeze(weights, [-1])
        total = tf.reduce_sum(_scaled(losses, weights))
        mean = tf.cast(
            tf.math.divide_no_nan(total, tf.reduce_sum(_present(losses, weights)), name="value"), dtype
        )
        add_loss(mean)
        return mean


@unconverted
def absolute_difference(
    predictions: tf.Tensor, labels: Any = None, weights: Any = 1.0, scope: str | None = None
) -> tf.Tensor:
    """`tf.contrib.losses.absolute_difference`: predictions and labels of one shape."""
    with v1.name_scope(scope, "absolute_difference", [predictions, labels, weights]) as full_scope:
        predictions, labels = _floats(predictions, labels)
        return compute_weighted_loss(tf.abs(predictions - labels), weights, scope=full_scope)


@unconverted
def sigmoid_cross_entropy(
    logits: tf.Tensor,
    multi_class_labels: tf.Tensor,
    weights: Any = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
) -> tf.Tensor:
    """`tf.contrib.losses.sigmoid_cross_entropy`: logits and labels (batch, classes)."""
    with v1.name_scope(
        scope, "sigmoid_cross_entropy_loss", [logits, multi_class_labels, weights]
    ) as full_scope:
        logits.shape.assert_is_compatible_with(multi_class_labels.shape)
        labels = tf.cast(multi_class_labels, logits.dtype)
        if label_smoothing > 0:
            labels = labels * (1 - label_smoothing) + 0.5 * label_smoothing
        losses = tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits, name="xentropy")
        return compute_weighted_loss(losses, weights, scope=full_scope)


@unconverted
def softmax_cross_entropy(
    logits: tf.Tensor,
    onehot_labels: tf.Tensor,
    weights: Any = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
) -> tf.Tensor:
    """`tf.contrib.losses.softmax_cross_entropy`: logits and labels (batch, classes); no gradient to the labels."""
    with v1.name_scope(scope, "softmax_cross_entropy_loss", [logits, onehot_labels, weights]) as full_scope:
        logits.shape.assert_is_compatible_with(onehot_labels.shape)
        labels = tf.cast(onehot_labels, logits.dtype)
        if label_smoothing > 0:
            classes = tf.cast(tf.shape(labels)[1], logits.dtype)
            labels = labels * (1.0 - label_smoothing) + label_smoothing / classes
        losses = v1.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits, name="xentropy")
        return compute_weighted_loss(losses, weights, scope=full_scope)


@unconverted
def sparse_softmax_cross_entropy(
    logits: tf.Tensor, labels: tf.Tensor, weights: Any = 1.0, scope: str | None = None
) -> tf.Tensor:
    """`tf.contrib.losses.sparse_softmax_cross_entropy`: logits (batch, classes), labels (batch,) or (batch, 1)."""
    with v1.name_scope(scope, "sparse_softmax_cross_entropy_loss", [logits, labels, weights]) as full_scope:
        labels = tf.reshape(labels, [tf.shape(labels)[0]])
        losses = v1.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits, name="xentropy")
        return compute_weighted_loss(losses, weights, scope=full_scope)


@unconverted
def log_loss(
    predictions: tf.Tensor,
    labels: Any = None,
    weights: Any = 1.0,
    epsilon: float = 1e-7,
    scope: str | None = None,
) -> tf.Tensor:
    """`tf.contrib.losses.log_loss`: predictions and labels of one shape, in [0, 1]."""
    with v1.name_scope(scope, "log_loss", [predictions, labels, weights]) as full_scope:
        predictions, labels = _floats(predictions, labels)
        losses = -(labels * tf.math.log(predictions + epsilon)) - (1 - labels) * tf.math.log(
            1 - predictions + epsilon
        )
        return compute_weighted_loss(losses, weights, scope=full_scope)


@unconverted
def hinge_loss(logits: tf.Tensor, labels: Any = None, scope: str | None = None) -> tf.Tensor:
    """`tf.contrib.losses.hinge_loss`: labels 0 or 1; the losses themselves, in no collection."""
    with v1.name_scope(scope, "hinge_loss", [logits, labels]):
        logits.shape.assert_is_compatible_with(labels.shape)
        labels = tf.cast(labels, tf.float32)
        ones = tf.ones_like(labels)
        return tf.nn.relu(ones - (2 * labels - ones) * logits)


@unconverted
def mean_squared_error(
    predictions: tf.Tensor, labels: Any = None, weights: Any = 1.0, scope: str | None = None
) -> tf.Tensor:
    """`tf.contrib.losses.mean_squared_error`: predictions and labels of one shape."""
    with v1.name_scope(scope, "mean_squared_error", [predictions, labels, weights]) as full_scope:
        predictions, labels = _floats(predictions, labels)
        return compute_weighted_loss(
            tf.math.squared_difference(predictions, labels), weights, scope=full_scope
        )


@unconverted
def mean_pairwise_squared_error(
    predictions: tf.Tensor, labels: Any = None, weights: Any = 1.0, scope: str | None = None
) -> tf.Tensor:
    """`tf.contrib.losses.mean_pairwise_squared_error`: over the pairs of elements of each example."""
    with v1.name_scope(scope, "mean_pairwise_squared_error", [predictions, labels, weights]):
        predictions, labels = _floats(predictions, labels)
        weights = tf.cast(tf.convert_to_tensor(weights), tf.float32)
        differences = predictions - labels
        if differences.shape.rank is None or weights.shape.rank is None:
            raise ValueError("the rank of predictions, labels and weights must be known")
        axes = list(range(1, differences.shape.rank))
        squares = tf.reduce_sum(tf.square(differences), axis=axes)
        present = _present(differences, weights)
        first = 2.0 * tf.math.divide_no_nan(squares, present)
        sums = tf.reduce_sum(differences, axis=axes)
        second = 2.0 * tf.math.divide_no_nan(tf.square(sums), tf.square(present))
        loss = tf.reduce_sum(_scaled(first - second, weights))
        mean = tf.where(tf.reduce_sum(present) > 0, loss, tf.zeros_like(loss), name="value")
        add_loss(mean)
        return mean


@unconverted
def cosine_distance(
    predictions: tf.Tensor,
    labels: Any = None,
    axis: int | None = None,
    weights: Any = 1.0,
    scope: str | None = None,
    dim: int | None = None,
) -> tf.Tensor:
    """`tf.contrib.losses.cosine_distance`: predictions and labels of unit length along `axis` (formerly `dim`)."""
    axis = dim if axis is None else axis
    if axis is None:
        raise ValueError("You must specify 'axis'.")
    with v1.name_scope(scope, "cosine_distance_loss", [predictions, labels, weights]) as full_scope:
        predictions, labels = _floats(predictions, labels)
        losses = 1 - tf.reduce_sum(predictions * labels, axis=[axis])
        return compute_weighted_loss(losses, weights, scope=full_scope)


def _floats(predictions: tf.Tensor, labels: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    predictions.shape.assert_is_compatible_with(labels.shape)
    return tf.cast(predictions, tf.float32), tf.cast(labels, tf.float32)


def _scaled(losses: tf.Tensor, weights: tf.Tensor) -> tf.Tensor:
    """`losses` summed down to the rank of `weights`, times them."""
    return tf.reduce_sum(losses, axis=list(range(weights.shape.rank, losses.shape.rank))) * weights


def _present(losses: tf.Tensor, weights: tf.Tensor) -> tf.Tensor:
    """The number of elements of each example whose weight is not zero, (batch,)."""
    if weights.shape.rank == 0:
        batch = tf.shape(losses)[0]
        each = tf.cast(tf.size(losses), tf.float32) / tf.cast(batch, tf.float32)
        return tf.ones(tf.reshape(batch, [1])) * tf.where(tf.equal(weights, 0), 0.0, each)
    nonzero = tf.cast(tf.not_equal(weights, 0), tf.float32)
    counted = tf.reduce_sum(nonzero, axis=list(range(1, weights.shape.rank)))
    return counted * tf.cast(tf.reduce_prod(tf.shape(losses)[weights.shape.rank :]), tf.float32)

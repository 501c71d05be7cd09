"""`tf.contrib.losses.metric_learning`: losses of embeddings by the distances between them."""

from typing import Any

import tensorflow as tf

v1 = tf.compat.v1


def contrastive_loss(
    labels: Any, embeddings_anchor: Any, embeddings_positive: Any, margin: float = 1.0
) -> tf.Tensor:
    """The mean over pairs of embeddings [batch, depth], labels 1 if alike (Hadsell 2006)."""
    squares = tf.math.squared_difference(embeddings_anchor, embeddings_positive)
    distances, alike = tf.sqrt(tf.reduce_sum(squares, 1)), tf.cast(labels, tf.float32)
    near, far = tf.square(distances), tf.square(tf.maximum(margin - distances, 0.0))
    return tf.reduce_mean(alike * near + (1 - alike) * far, name="contrastive_loss")


def triplet_semihard_loss(labels: Any, embeddings: Any, margin: float = 1.0) -> tf.Tensor:
    """The mean of what one label's pairs lack to a negative's distance (Schroff 2015).

    The negative is the nearest that is farther away than the pair's second, or else the farthest of
    all. `labels` are [batch], embeddings float32 [batch, depth]; distances are squared.
    """
    labels = tf.convert_to_tensor(labels)
    distances = _squared_distances(tf.convert_to_tensor(embeddings))
    alike = tf.equal(labels[:, tf.newaxis], labels)
    other = tf.cast(tf.logical_not(alike), tf.float32)
    # [anchor, positive, negative]
    farther = tf.cast(distances[:, tf.newaxis, :] > distances[:, :, tf.newaxis], tf.float32)
    outside = farther * other[:, tf.newaxis, :]
    semi_hard = v1.where(
        tf.reduce_sum(outside, 2) > 0,
        _least(tf.broadcast_to(distances[:, tf.newaxis, :], tf.shape(outside)), outside),
        tf.broadcast_to(-_least(-distances, other)[:, tf.newaxis], tf.shape(distances)),
    )
    pairs = tf.cast(alike, tf.float32) - tf.eye(tf.shape(labels)[0])
    losses = tf.maximum((margin + distances - semi_hard) * pairs, 0.0)
    return tf.math.truediv(tf.reduce_sum(losses), tf.reduce_sum(pairs), name="triplet_semihard_loss")


def _least(values: tf.Tensor, mask: tf.Tensor) -> tf.Tensor:
    """The smallest value of the last axis where the mask is 1, or 0 above the largest of all."""
    most = tf.reduce_max(values, -1, keepdims=True)
    return tf.squeeze(tf.reduce_min((values - most) * mask, -1, keepdims=True) + most, -1)


def _squared_distances(points: tf.Tensor) -> tf.Tensor:
    """[number, number] of points [number, depth]; 0 on the diagonal."""
    squares = tf.reduce_sum(tf.square(points), 1)
    distances = squares[:, tf.newaxis] + squares - 2 * tf.matmul(points, points, transpose_b=True)
    return tf.maximum(distances, 0.0) * (1 - tf.eye(tf.shape(points)[0]))

"""`sequence_loss`: the weighted cross entropy of sequences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

v1 = tf.compat.v1


def sequence_loss(
    logits: Any,
    targets: Any,
    weights: Any,
    average_across_timesteps: bool = True,
    average_across_batch: bool = True,
    sum_over_timesteps: bool = False,
    sum_over_batch: bool = False,
    softmax_loss_function: Callable[..., Any] | None = None,
    name: str | None = None,
) -> tf.Tensor:
    """The weighted cross entropy of sequences.

    Args:
        logits: [batch, time, classes].
        targets: ids, [batch, time].
        weights: float, [batch, time].
        average_across_timesteps: whether the sum over time is divided by the weights' sum.
        average_across_batch: whether the sum over the batch is divided by the weights' sum.
        sum_over_timesteps: whether the sum over time is divided by how many weights are not zero.
        sum_over_batch: whether the sum over the batch is divided by how many weights are not zero.
        softmax_loss_function: takes labels and logits by name, in place of softmax and cross entropy.
        name: of its operations.

    Returns:
        A scalar, or with one average or sum alone [batch] or [time], or with none [batch, time].

    Raises:
        ValueError: a tensor has another rank, or an average and a sum are asked for together.
    """
    for rank, given, what in (
        (3, logits, "Logits must be a [batch_size x sequence_length x logits] tensor"),
        (2, targets, "Targets must be a [batch_size x sequence_length] tensor"),
        (2, weights, "Weights must be a [batch_size x sequence_length] tensor"),
    ):
        if len(given.shape) != rank:
            raise ValueError(what)
    for average, total, what in (
        (average_across_timesteps, sum_over_timesteps, "timesteps"),
        (average_across_batch, sum_over_batch, "batch"),
    ):
        if average and total:
            raise ValueError(f"average_across_{what} and sum_over_{what} cannot be set to True at same time.")
    with v1.name_scope(name, "sequence_loss", [logits, targets, weights]):
        labels, rows = tf.reshape(targets, [-1]), tf.reshape(logits, [-1, tf.shape(logits)[2]])
        if softmax_loss_function is None:
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=rows)
        else:
            losses = softmax_loss_function(labels=labels, logits=rows)
        losses = tf.reshape(losses, tf.shape(weights)) * weights
        averaged = average_across_timesteps or average_across_batch
        of_batch, of_time = (
            (average_across_batch, average_across_timesteps)
            if averaged
            else (sum_over_batch, sum_over_timesteps)
        )
        axes = [axis for axis, over in ((0, of_batch), (1, of_time)) if over]
        if not axes:
            return losses
        parts = weights if averaged else tf.cast(tf.not_equal(weights, 0), losses.dtype)
        return tf.math.divide_no_nan(tf.reduce_sum(losses, axes), tf.reduce_sum(parts, axes))

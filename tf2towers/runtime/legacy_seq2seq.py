"""The losses of `tf.contrib.legacy_seq2seq`: lists of logits, targets and weights, one of each for a time step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

_name_scope = tf.compat.v1.name_scope


def sequence_loss_by_example(
    logits: list[Any],
    targets: list[Any],
    weights: list[Any],
    average_across_timesteps: bool = True,
    softmax_loss_function: Callable[..., Any] | None = None,
    name: str | None = None,
) -> tf.Tensor:
    """The weighted cross entropy of each sequence.

    Raises:
        ValueError: The lists' lengths differ.
    """
    if len(targets) != len(logits) or len(weights) != len(logits):
        raise ValueError(
            "Lengths of logits, weights, and targets must be the same "
            f"{len(logits)}, {len(weights)}, {len(targets)}."
        )
    with _name_scope(name, "sequence_loss_by_example", logits + targets + weights):
        losses = []
        for logit, target, weight in zip(logits, targets, weights, strict=True):
            if softmax_loss_function is None:
                labels = tf.reshape(target, [-1])
                loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logit)
            else:
                loss = softmax_loss_function(labels=target, logits=logit)
            losses.append(loss * weight)
        total = tf.add_n(losses)
        if average_across_timesteps:
            total_size = tf.add_n(weights)
            total_size += 1e-12
            total /= total_size
    return total


def sequence_loss(
    logits: list[Any],
    targets: list[Any],
    weights: list[Any],
    average_across_timesteps: bool = True,
    average_across_batch: bool = True,
    softmax_loss_function: Callable[..., Any] | None = None,
    name: str | None = None,
) -> tf.Tensor:
    """The weighted cross entropy of all sequences together."""
    with _name_scope(name, "sequence_loss", logits + targets + weights):
        each = sequence_loss_by_example(
            logits,
            targets,
            weights,
            average_across_timesteps=average_across_timesteps,
            softmax_loss_function=softmax_loss_function,
        )
        cost = tf.reduce_sum(each)
        if average_across_batch:
            return cost / tf.cast(tf.shape(targets[0])[0], cost.dtype)
        return cost

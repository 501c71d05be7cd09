"""`tf.contrib.legacy_seq2seq`: losses of sequences that are lists of tensors, one for each step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

v1 = tf.compat.v1


def sequence_loss_by_example(
    logits: Sequence[Any],
    targets: Sequence[Any],
    weights: Sequence[Any],
    average_across_timesteps: bool = True,
    softmax_loss_function: Callable[..., Any] | None = None,
    name: str | None = None,
) -> Any:
    """The weighted cross entropy of each sequence, [batch]; its sum over time is divided by the weights' sum or not.

    Raises:
        ValueError: the lists' lengths differ.
    """
    plain = tf.nn.sparse_softmax_cross_entropy_with_logits
    with v1.name_scope(name, "sequence_loss_by_example"):
        ids = targets if softmax_loss_function else [tf.reshape(each, [-1]) for each in targets]
        steps = zip(logits, ids, weights, strict=True)
        loss = softmax_loss_function or plain
        total = tf.add_n([loss(labels=label, logits=logit) * weight for logit, label, weight in steps])
        return total / (tf.add_n(list(weights)) + 1e-12) if average_across_timesteps else total


def sequence_loss(
    logits: Sequence[Any],
    targets: Sequence[Any],
    weights: Sequence[Any],
    average_across_timesteps: bool = True,
    average_across_batch: bool = True,
    softmax_loss_function: Callable[..., Any] | None = None,
    name: str | None = None,
) -> Any:
    """The sum of `sequence_loss_by_example`, divided by the batch's size or not: a scalar."""
    given = (logits, targets, weights, average_across_timesteps, softmax_loss_function)
    with v1.name_scope(name, "sequence_loss"):
        each = sequence_loss_by_example(*given)
        return tf.reduce_mean(each) if average_across_batch else tf.reduce_sum(each)

"""Weight decay (`tf.contrib.layers.l2_regularizer` and its kin)."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

from tf2towers.runtime.layers.autograph import unconverted

v1 = tf.compat.v1

Regularizer = Callable[[Any], Any]


def l1_regularizer(scale: Any, scope: str | None = None) -> Regularizer:
    """`tf.contrib.layers.l1_regularizer`: scale * sum of absolute values.

    Raises:
        ValueError: `scale` is an integer, or less than 0.
    """
    if _disabled(scale):
        return lambda _: None

    @unconverted
    def l1(weights: Any) -> tf.Tensor:
        with v1.name_scope(scope, "l1_regularizer", [weights]) as name:
            factor = tf.convert_to_tensor(scale, dtype=weights.dtype.base_dtype, name="scale")
            return tf.multiply(factor, tf.reduce_sum(tf.abs(weights)), name=name)

    return l1


def l2_regularizer(scale: Any, scope: str | None = None) -> Regularizer:
    """`tf.contrib.layers.l2_regularizer`: scale * half the sum of squares.

    Raises:
        ValueError: `scale` is an integer, or less than 0.
    """
    if _disabled(scale):
        return lambda _: None

    @unconverted
    def l2(weights: Any) -> tf.Tensor:
        with v1.name_scope(scope, "l2_regularizer", [weights]) as name:
            factor = tf.convert_to_tensor(scale, dtype=weights.dtype.base_dtype, name="scale")
            return tf.multiply(factor, tf.nn.l2_loss(weights), name=name)

    return l2


def l1_l2_regularizer(
    scale_l1: Any = 1.0, scale_l2: Any = 1.0, scope: str | None = None
) -> Regularizer | None:
    """`tf.contrib.layers.l1_l2_regularizer`: the sum of both."""
    for name, scale in (("scale_l1", scale_l1), ("scale_l2", scale_l2)):
        if isinstance(scale, numbers.Integral):
            raise ValueError(f"{name} cannot be an integer: {scale}")
    scope = scope or "l1_l2_regularizer"
    if scale_l1 == 0.0:
        return l2_regularizer(scale_l2, scope)
    if scale_l2 == 0.0:
        return l1_regularizer(scale_l1, scope)
    return sum_regularizer([l1_regularizer(scale_l1), l2_regularizer(scale_l2)], scope=scope)


def sum_regularizer(
    regularizer_list: Sequence[Regularizer | None], scope: str | None = None
) -> Regularizer | None:
    """`tf.contrib.layers.sum_regularizer`: the sum of all that are not None, or None."""
    regularizers = [regularizer for regularizer in regularizer_list if regularizer is not None]
    if not regularizers:
        return None

    @unconverted
    def sum_reg(weights: Any) -> tf.Tensor | None:
        with v1.name_scope(scope, "sum_regularizer", [weights]) as name:
            losses = [
                loss for loss in (regularizer(weights) for regularizer in regularizers) if loss is not None
            ]
            return tf.add_n(losses, name=name) if losses else None

    return sum_reg


@unconverted
def apply_regularization(regularizer: Regularizer, weights_list: Sequence[Any] | None = None) -> tf.Tensor:
    """`tf.contrib.layers.apply_regularization`: one scalar loss over all weights, in REGULARIZATION_LOSSES.

    The default are the weights in the WEIGHTS collection.

    Raises:
        ValueError: no weights, or a regularizer whose result is not a scalar.
    """
    weights = weights_list or v1.get_collection(v1.GraphKeys.WEIGHTS)
    if not weights:
        raise ValueError("No weights to regularize.")
    with v1.name_scope("get_regularization_penalty", values=weights) as scope:
        penalties = [regularizer(weight) for weight in weights]
        penalties = [tf.constant(0.0) if penalty is None else penalty for penalty in penalties]
        for penalty in penalties:
            if penalty.shape.rank != 0:
                raise ValueError(
                    f"regularizer must return a scalar Tensor instead of a Tensor with rank {penalty.shape.rank}."
                )
        total = tf.add_n(penalties, name=scope)
        v1.add_to_collection(v1.GraphKeys.REGULARIZATION_LOSSES, total)
        return total


def _disabled(scale: Any) -> bool:
    if isinstance(scale, numbers.Integral):
        raise ValueError(f"scale cannot be an integer: {scale}")
    if isinstance(scale, numbers.Real) and scale < 0.0:
        raise ValueError(f"Setting a scale less than 0 on a regularizer: {scale}")
    return isinstance(scale, numbers.Real) and scale == 0.0

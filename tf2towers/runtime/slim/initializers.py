"""Initial values that keep variance from layer to layer (`tf.contrib.layers.xavier_initializer` and its kin)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf


def variance_scaling_initializer(
    factor: float = 2.0,
    mode: str = "FAN_IN",
    uniform: bool = False,
    seed: int | None = None,
    dtype: Any = tf.float32,
) -> Callable[..., tf.Tensor]:
    """`tf.contrib.layers.variance_scaling_initializer`.

    It is not `tf.variance_scaling_initializer`, whose truncated normal has another deviation.

    Raises:
        TypeError: `dtype` is not a floating point type, or `mode` is none of 'FAN_IN', 'FAN_OUT', 'FAN_AVG'.
    """
    if not tf.as_dtype(dtype).is_floating:
        raise TypeError("Cannot create initializer for non-floating point type.")
    if mode not in ("FAN_IN", "FAN_OUT", "FAN_AVG"):
        raise TypeError(f"Unknown mode {mode} [FAN_IN, FAN_OUT, FAN_AVG]")

    def initializer(shape: Sequence[int], dtype: Any = dtype, partition_info: Any = None) -> tf.Tensor:
        del partition_info
        if not tf.as_dtype(dtype).is_floating:
            raise TypeError("Cannot create initializer for non-floating point type.")
        fan_in, fan_out = _fans([float(size) for size in shape])
        fan = {"FAN_IN": fan_in, "FAN_OUT": fan_out, "FAN_AVG": (fan_in + fan_out) / 2.0}[mode]
        if uniform:
            limit = math.sqrt(3.0 * factor / fan)
            return tf.random.uniform(shape, -limit, limit, dtype, seed=seed)
        deviation = math.sqrt(1.3 * factor / fan)
        return tf.random.truncated_normal(shape, 0.0, deviation, dtype, seed=seed)

    return initializer


def xavier_initializer(
    uniform: bool = True, seed: int | None = None, dtype: Any = tf.float32
) -> Callable[..., tf.Tensor]:
    """`tf.contrib.layers.xavier_initializer`: slim's default for weights."""
    return variance_scaling_initializer(factor=1.0, mode="FAN_AVG", uniform=uniform, seed=seed, dtype=dtype)


xavier_initializer_conv2d = xavier_initializer


def _fans(shape: list[float]) -> tuple[float, float]:
    """Inputs and outputs of one unit: the last two dimensions, each times all the earlier ones."""
    receptive = math.prod(shape[:-2])
    if not shape:
        return 1.0, 1.0
    return (shape[-2] if len(shape) > 1 else shape[-1]) * receptive, shape[-1] * receptive


XAVIER = xavier_initializer()
"""Slim's default for weights."""

ZEROS = tf.compat.v1.zeros_initializer()
"""Slim's default for biases."""

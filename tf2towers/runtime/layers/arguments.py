"""The forms in which TF1 layers take their arguments, brought to one form."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from tf2towers.runtime.layers.types import Activation, Ints

_INITIALIZERS: dict[str, Callable[[], Any]] = {
    "zeros": tf.compat.v1.zeros_initializer,
    "ones": tf.compat.v1.ones_initializer,
    "glorot_uniform": tf.compat.v1.glorot_uniform_initializer,
    "glorot_normal": tf.compat.v1.glorot_normal_initializer,
    "orthogonal": tf.compat.v1.orthogonal_initializer,
    "he_normal": lambda: tf.compat.v1.variance_scaling_initializer(2.0, "fan_in", "truncated_normal"),
    "he_uniform": lambda: tf.compat.v1.variance_scaling_initializer(2.0, "fan_in", "uniform"),
    "lecun_normal": lambda: tf.compat.v1.variance_scaling_initializer(1.0, "fan_in", "truncated_normal"),
    "lecun_uniform": lambda: tf.compat.v1.variance_scaling_initializer(1.0, "fan_in", "uniform"),
    "random_normal": lambda: tf.compat.v1.random_normal_initializer(0.0, 0.05),
    "normal": lambda: tf.compat.v1.random_normal_initializer(0.0, 0.05),
    "random_uniform": lambda: tf.compat.v1.random_uniform_initializer(-0.05, 0.05),
    "uniform": lambda: tf.compat.v1.random_uniform_initializer(-0.05, 0.05),
    "truncated_normal": lambda: tf.compat.v1.truncated_normal_initializer(0.0, 0.05),
}

_ACTIVATIONS: dict[str, Callable[[tf.Tensor], tf.Tensor]] = {
    "relu": tf.nn.relu,
    "sigmoid": tf.nn.sigmoid,
    "tanh": tf.nn.tanh,
    "softmax": tf.nn.softmax,
    "softplus": tf.nn.softplus,
    "softsign": tf.nn.softsign,
    "elu": tf.nn.elu,
    "selu": tf.nn.selu,
    "exponential": tf.exp,
    "hard_sigmoid": lambda x: tf.clip_by_value(0.2 * x + 0.5, 0.0, 1.0),
}


def activation_function(activation: Activation) -> Callable[[tf.Tensor], tf.Tensor] | None:
    """The function an `activation` argument stands for, or None where the layer is linear."""
    if activation is None or activation == "linear":
        return None
    if not isinstance(activation, str):
        return activation
    if activation not in _ACTIVATIONS:
        raise ValueError(f"Unknown activation function: {activation}")
    return _ACTIVATIONS[activation]


def initializer_function(initializer: Any) -> Any:
    """The initializer object an `..._initializer` argument stands for, or None for the scope's default."""
    if isinstance(initializer, str):
        if initializer not in _INITIALIZERS:
            raise ValueError(f"Unknown initializer: {initializer}")
        return _INITIALIZERS[initializer]()
    if inspect.isclass(initializer):
        return initializer()
    return initializer


def int_tuple(value: Ints, rank: int, name: str) -> tuple[int, ...]:
    """`value` as `rank` integers: `int_tuple(3, 2, 'strides') == (3, 3)`."""
    if isinstance(value, int):
        return (value,) * rank
    try:
        values = tuple(int(number) for number in value)
    except (TypeError, ValueError):
        raise ValueError(
            f"The `{name}` argument must be a tuple of {rank} integers. Received: {value}"
        ) from None
    if len(values) != rank:
        raise ValueError(f"The `{name}` argument must be a tuple of {rank} integers. Received: {value}")
    return values


def padding_name(value: str, causal: bool = False) -> str:
    """'valid' or 'same' (or 'causal', where that exists), whatever the case it was written in."""
    padding = value.lower()
    if padding not in ({"valid", "same", "causal"} if causal else {"valid", "same"}):
        raise ValueError(
            f'The `padding` argument must be "valid" or "same" (or "causal", only for conv1d). Received: {value}'
        )
    return padding


def data_format_name(value: str | None) -> str:
    """'channels_last' (also for None) or 'channels_first'."""
    data_format = "channels_last" if value is None else value.lower()
    if data_format not in ("channels_first", "channels_last"):
        raise ValueError(
            f'The `data_format` argument must be "channels_first" or "channels_last". Received: {value}'
        )
    return data_format


def kernel_data_format(data_format: str, rank: int) -> str:
    """What `tf.nn` calls a layer's data format for `rank` spatial dimensions: 'NHWC', 'NCW', ..."""
    spatial = {1: "W", 2: "HW", 3: "DHW"}[rank]
    return f"NC{spatial}" if data_format == "channels_first" else f"N{spatial}C"


def known_channels(shape: tf.TensorShape, data_format: str) -> int:
    """The number of channels of an input, which the shape of a kernel needs."""
    channels = tf.compat.dimension_value(shape[1 if data_format == "channels_first" else -1])
    if channels is None:
        raise ValueError("The channel dimension of the inputs should be defined. Found `None`.")
    return int(channels)

"""Static shapes as in TF 1.15: all of the output shape that a transposed convolution was given, and names for shapes.

TensorFlow 2 leaves the batch open where the input's batch is: `conv2d_transpose` of `[None, 4, 4, 8]` to
`[16, 8, 8, 3]` is `(None, 8, 8, 3)`, and what asks it for its shape (`int(h.get_shape()[0])`, a `reshape` to it) stops.
In TF 1.15 it is `(16, 8, 8, 3)`. Measured with TF 1.15.5, 2.15.1 and 2.21.0; `conv3d_transpose` is the same in all.
Values, gradients and names of operations are TensorFlow's own: its function is called.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

#: TensorFlow's own, found once: stand-ins for the original script put ours in their place
_nn = tf.compat.v1.nn
_conv1d_transpose, _conv2d_transpose = _nn.conv1d_transpose, _nn.conv2d_transpose
_conv2d_backprop_input = _nn.conv2d_backprop_input
_atrous_conv2d_transpose, _conv_transpose = _nn.atrous_conv2d_transpose, _nn.conv_transpose


def conv1d_transpose(input: Any, filters: Any, output_shape: Any, *args: Any, **kwargs: Any) -> tf.Tensor:  # noqa: A002
    """`tf.nn.conv1d_transpose`: float, [batch, width, channels]."""
    return _called(_conv1d_transpose, output_shape, input, filters, output_shape, *args, **kwargs)


def conv2d_transpose(
    value: Any = None,
    filter: Any = None,  # noqa: A002
    output_shape: Any = None,
    *args: Any,
    **kwargs: Any,
) -> tf.Tensor:
    """`tf.nn.conv2d_transpose`: float, of the output shape."""
    return _called(_conv2d_transpose, output_shape, value, filter, output_shape, *args, **kwargs)


def conv2d_backprop_input(
    input_sizes: Any,
    filter: Any = None,  # noqa: A002
    out_backprop: Any = None,
    *args: Any,
    **kwargs: Any,
) -> tf.Tensor:
    """`tf.nn.conv2d_backprop_input`: float, of the input's sizes."""
    return _called(_conv2d_backprop_input, input_sizes, input_sizes, filter, out_backprop, *args, **kwargs)


def atrous_conv2d_transpose(
    value: Any, filters: Any, output_shape: Any, *args: Any, **kwargs: Any
) -> tf.Tensor:
    """`tf.nn.atrous_conv2d_transpose`: float, of the output shape."""
    return _called(_atrous_conv2d_transpose, output_shape, value, filters, output_shape, *args, **kwargs)


def conv_transpose(input: Any, filters: Any, output_shape: Any, *args: Any, **kwargs: Any) -> tf.Tensor:  # noqa: A002
    """`tf.nn.conv_transpose`: float, of the output shape."""
    return _called(_conv_transpose, output_shape, input, filters, output_shape, *args, **kwargs)


def _called(function: Callable[..., tf.Tensor], sizes: Any, *args: Any, **kwargs: Any) -> tf.Tensor:
    result = function(*args, **kwargs)
    known = _static(sizes)
    if known is not None:
        result.set_shape(known)
    return result


def _static(sizes: Any) -> Any:
    """What is known of the sizes; no operation is added, for TF 1 takes seeds from the number of operations."""
    if not isinstance(sizes, (list, tuple)):
        return tf.get_static_value(sizes, partial=True) if tf.is_tensor(sizes) else sizes
    return [tf.get_static_value(size) if tf.is_tensor(size) else size for size in sizes]


def scalar() -> tf.TensorShape:
    """`tensorflow.python.framework.tensor_shape.scalar`, which TF 2 has no more: the shape of one value."""
    return tf.TensorShape([])


def vector(length: int | None) -> tf.TensorShape:
    """The same for a vector."""
    return tf.TensorShape([length])


def matrix(rows: int | None, cols: int | None) -> tf.TensorShape:
    """The same for a matrix."""
    return tf.TensorShape([rows, cols])

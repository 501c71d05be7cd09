"""Normalization within one example (`tf.contrib.layers.layer_norm`, `instance_norm`, `group_norm`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

from tf2towers.runtime.slim.arg_scopes import add_arg_scope
from tf2towers.runtime.slim.utils import collect_named_outputs, get_variable_collections
from tf2towers.runtime.slim.variables import model_variable

v1 = tf.compat.v1


@add_arg_scope
def layer_norm(
    inputs: tf.Tensor,
    center: bool = True,
    scale: bool = True,
    activation_fn: Callable[..., Any] | None = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    begin_norm_axis: int = 1,
    begin_params_axis: int = -1,
    scope: Any = None,
) -> tf.Tensor:
    """`tf.contrib.layers.layer_norm`: moments over all dimensions from `begin_norm_axis` on; `beta`, `gamma`.

    Raises:
        ValueError: the rank is unknown, an axis is not smaller than it, or the parameters' shape is not known.
    """
    with v1.variable_scope(scope, "LayerNorm", [inputs], reuse=reuse) as sc:
        inputs = tf.convert_to_tensor(inputs)
        rank = inputs.shape.rank
        if rank is None:
            raise ValueError(f"Inputs {inputs} has undefined rank.")
        if begin_norm_axis < 0:
            begin_norm_axis = rank + begin_norm_axis
        if begin_params_axis >= rank or begin_norm_axis >= rank:
            raise ValueError(
                f"begin_params_axis ({begin_params_axis}) and begin_norm_axis ({begin_norm_axis}) "
                f"must be < rank(inputs) ({rank})"
            )
        shape = inputs.shape[begin_params_axis:]
        if not shape.is_fully_defined():
            raise ValueError(f"Inputs {inputs}: shape(inputs)[{begin_params_axis}:] is not fully defined")
        beta, gamma = _parameters(shape, inputs.dtype, center, scale, {}, variables_collections, trainable)
        mean, variance = v1.nn.moments(inputs, list(range(begin_norm_axis, rank)), keep_dims=True)
        epsilon = 1e-3 if inputs.dtype == tf.float16 else 1e-12
        outputs = tf.nn.batch_normalization(inputs, mean, variance, beta, gamma, epsilon)
        outputs.set_shape(inputs.shape)
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        return collect_named_outputs(outputs_collections, sc.name, outputs)


@add_arg_scope
def instance_norm(
    inputs: tf.Tensor,
    center: bool = True,
    scale: bool = True,
    epsilon: float = 1e-6,
    activation_fn: Callable[..., Any] | None = None,
    param_initializers: dict[str, Any] | None = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    data_format: str = "NHWC",
    scope: Any = None,
) -> tf.Tensor:
    """`tf.contrib.layers.instance_norm`: moments over the places of one channel of one example."""
    inputs = tf.convert_to_tensor(inputs)
    rank = inputs.shape.rank
    if rank is None:
        raise ValueError(f"Inputs {inputs} has undefined rank.")
    if data_format not in ("NCHW", "NHWC"):
        raise ValueError("data_format has to be either NCHW or NHWC.")
    with v1.variable_scope(scope, "InstanceNorm", [inputs], reuse=reuse) as sc:
        axis = 1 if data_format == "NCHW" else rank - 1
        channels = inputs.shape.as_list()[axis]
        if channels is None:
            raise ValueError(f"Inputs {inputs} has undefined channels dimension.")
        beta, gamma = _parameters(
            [channels],
            inputs.dtype,
            center,
            scale,
            param_initializers or {},
            variables_collections,
            trainable,
        )
        if data_format == "NCHW":
            shape = [channels if i == axis else 1 for i in range(rank)]
            beta, gamma = (
                None if parameter is None else tf.reshape(parameter, shape) for parameter in (beta, gamma)
            )
        places = [i for i in range(1, rank) if i != axis]
        mean, variance = v1.nn.moments(inputs, places, keep_dims=True)
        outputs = tf.nn.batch_normalization(inputs, mean, variance, beta, gamma, epsilon, name="instancenorm")
        outputs.set_shape(inputs.shape)
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        return collect_named_outputs(outputs_collections, sc.name, outputs)


@add_arg_scope
def group_norm(
    inputs: tf.Tensor,
    groups: int = 32,
    channels_axis: int = -1,
    reduction_axes: Sequence[int] = (-3, -2),
    center: bool = True,
    scale: bool = True,
    epsilon: float = 1e-6,
    activation_fn: Callable[..., Any] | None = None,
    param_initializers: dict[str, Any] | None = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
    mean_close_to_zero: bool = False,
) -> tf.Tensor:
    """`tf.contrib.layers.group_norm`: moments over the places of `groups` groups of channels of one example.

    Raises:
        ValueError: the channels do not divide into the groups, or are among `reduction_axes`.
    """
    inputs = tf.convert_to_tensor(inputs)
    rank = inputs.shape.rank
    if rank is None or channels_axis >= rank:
        raise ValueError("Axis is out of bounds.")
    sizes = [tf.shape(inputs)[i] if size is None else size for i, size in enumerate(inputs.shape.as_list())]
    axis = channels_axis % rank
    channels = inputs.shape.as_list()[axis]
    reduced = [reduced_axis % rank for reduced_axis in reduction_axes]
    if channels is None:
        raise ValueError(f"Inputs {inputs} has undefined channel dimension: {axis}.")
    if axis in reduced:
        raise ValueError("reduction_axis must be mutually exclusive with channels_axis")
    if groups > channels or channels % groups:
        raise ValueError(f"{channels} channels is not commensurate with {groups} groups.")
    group_shape = [1] * axis + [groups, channels // groups] + [1] * (rank - axis - 1)
    grouped = tf.reshape(inputs, [*sizes[:axis], groups, channels // groups, *sizes[axis + 1 :]])
    axes = [axis + 1] + [
        reduced_axis + 1 if reduced_axis > axis else reduced_axis for reduced_axis in reduced
    ]
    with v1.variable_scope(scope, "GroupNorm", [grouped], reuse=reuse) as sc:
        beta, gamma = _parameters(
            [channels],
            grouped.dtype,
            center,
            scale,
            param_initializers or {},
            variables_collections,
            trainable,
        )
        if mean_close_to_zero:
            statistics = tf.nn.sufficient_statistics(grouped, axes, keepdims=True)
            mean, variance = tf.nn.normalize_moments(*statistics[:3], shift=None)
        else:
            mean, variance = v1.nn.moments(grouped, axes, keep_dims=True)
        gain = tf.math.rsqrt(variance + epsilon)
        offset = -mean * gain
        if gamma is not None:
            gamma = tf.reshape(gamma, group_shape)
            gain *= gamma
            offset *= gamma
        if beta is not None:
            offset += tf.reshape(beta, group_shape)
        outputs = tf.reshape(grouped * gain + offset, sizes)
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        return collect_named_outputs(outputs_collections, sc.name, outputs)


def _parameters(
    shape: Any,
    dtype: tf.DType,
    center: bool,
    scale: bool,
    initializers: dict[str, Any],
    variables_collections: Any,
    trainable: bool,
) -> tuple[Any, Any]:
    """`beta` and `gamma`, or None in place of either."""

    def make(name: str, initializer: Any) -> Any:
        return model_variable(
            name,
            shape=shape,
            dtype=dtype,
            initializer=initializers.get(name, initializer),
            collections=get_variable_collections(variables_collections, name),
            trainable=trainable,
        )

    beta = make("beta", v1.zeros_initializer()) if center else None
    return beta, make("gamma", v1.ones_initializer()) if scale else None

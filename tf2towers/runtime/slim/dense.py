"""Fully connected layers (`tf.contrib.layers.fully_connected`, `linear`, `relu`, and the older `legacy_...`)."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

from tf2towers.runtime.graph_session.private import get_variable
from tf2towers.runtime.layers.autograph import unconverted
from tf2towers.runtime.layers.dense import Dense
from tf2towers.runtime.slim.arg_scopes import add_arg_scope
from tf2towers.runtime.slim.convolution import NAMES, finish
from tf2towers.runtime.slim.initializers import XAVIER, ZEROS
from tf2towers.runtime.slim.variables import model_variable_getter

v1 = tf.compat.v1


@add_arg_scope
def fully_connected(
    inputs: tf.Tensor,
    num_outputs: int,
    activation_fn: Callable[..., Any] | None = tf.nn.relu,
    normalizer_fn: Callable[..., Any] | None = None,
    normalizer_params: dict[str, Any] | None = None,
    weights_initializer: Any = XAVIER,
    weights_regularizer: Any = None,
    biases_initializer: Any = ZEROS,
    biases_regularizer: Any = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
) -> tf.Tensor:
    """`tf.contrib.layers.fully_connected`: (..., last) -> (..., num_outputs); `weights`, `biases`.

    Raises:
        ValueError: `num_outputs` is not an integer, or the last dimension of the inputs is unknown.
    """
    if not isinstance(num_outputs, int):
        raise ValueError(f"num_outputs type should be int, got {type(num_outputs)}.")
    getter = model_variable_getter(NAMES)
    with v1.variable_scope(scope, "fully_connected", [inputs], reuse=reuse, custom_getter=getter) as sc:
        inputs = tf.convert_to_tensor(inputs)
        layer = Dense(
            num_outputs,
            use_bias=bool(not normalizer_fn and biases_initializer),
            kernel_initializer=weights_initializer,
            bias_initializer=biases_initializer,
            kernel_regularizer=weights_regularizer,
            bias_regularizer=biases_regularizer,
            trainable=trainable,
            name=sc.name,
            dtype=inputs.dtype,
            _scope=sc,
            _reuse=reuse,
        )
        outputs = layer(inputs)
        return finish(layer, outputs, variables_collections, normalizer_fn, normalizer_params, activation_fn,
                      outputs_collections, sc.name)  # fmt: skip


@unconverted
def legacy_fully_connected(
    x: tf.Tensor,
    num_output_units: int,
    activation_fn: Callable[..., Any] | None = None,
    weight_init: Any = XAVIER,
    bias_init: Any = ZEROS,
    name: str | None = None,
    weight_collections: Sequence[str] = (v1.GraphKeys.WEIGHTS,),
    bias_collections: Sequence[str] = (v1.GraphKeys.BIASES,),
    output_collections: Sequence[str] = (v1.GraphKeys.ACTIVATIONS,),
    trainable: bool = True,
    weight_regularizer: Any = None,
    bias_regularizer: Any = None,
) -> tf.Tensor:
    """`tf.contrib.layers.legacy_fully_connected`: (..., last) -> (..., num_output_units); `weights`, `bias`."""
    with v1.variable_scope(name, "fully_connected", [x]):
        x = tf.convert_to_tensor(x)
        rank = x.shape.rank
        if rank is None or rank < 2:
            raise ValueError(f"rank of x must be known and at least 2 not: {rank}")
        last = x.shape.as_list()[-1]
        if last is None:
            raise ValueError("last dimension of x must be known but is None")
        weights = get_variable(
            "weights",
            shape=[last, num_output_units],
            dtype=x.dtype,
            initializer=weight_init,
            collections=[*dict.fromkeys([*(weight_collections or []), v1.GraphKeys.GLOBAL_VARIABLES])],
            regularizer=weight_regularizer,
            trainable=trainable,
        )
        y = tf.matmul(x if rank == 2 else tf.reshape(x, [-1, last]), weights)
        if bias_init is not None:
            bias = get_variable(
                "bias",
                shape=[num_output_units],
                dtype=x.dtype,
                initializer=bias_init,
                collections=[*dict.fromkeys([*(bias_collections or []), v1.GraphKeys.GLOBAL_VARIABLES])],
                regularizer=bias_regularizer,
                trainable=trainable,
            )
            y = tf.nn.bias_add(y, bias)
        if rank > 2:
            y = tf.reshape(y, tf.stack([*tf.unstack(tf.shape(x))[:-1], num_output_units]))
            y.set_shape([*x.shape.as_list()[:-1], num_output_units])
        if activation_fn is not None:
            y = activation_fn(y)
        v1.add_to_collections([*(output_collections or []), v1.GraphKeys.ACTIVATIONS], y)
        return y


elu = functools.partial(fully_connected, activation_fn=tf.nn.elu)
relu = functools.partial(fully_connected, activation_fn=tf.nn.relu)
relu6 = functools.partial(fully_connected, activation_fn=tf.nn.relu6)
linear = functools.partial(fully_connected, activation_fn=None)
legacy_relu = functools.partial(legacy_fully_connected, activation_fn=tf.nn.relu)
legacy_linear = functools.partial(legacy_fully_connected, activation_fn=None)

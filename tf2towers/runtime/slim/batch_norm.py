"""Batch normalization (`tf.contrib.layers.batch_norm`), in the three ways TF1 did it.

- updates in UPDATE_OPS, four dimensions or any: the layer of `tf.layers`, with slim's defaults;
- two dimensions, or updates elsewhere: the fused kernel, with moving averages updated by slim itself;
- batch weights, or updates elsewhere without the fused kernel: moments and arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from tf2towers.runtime.layers.control import known_bool, smart_cond
from tf2towers.runtime.layers.moving_average import (
    subtract_towards,
    update_in_training,
    without_bias_to_zero,
)
from tf2towers.runtime.layers.normalization import BatchNormalization
from tf2towers.runtime.slim.arg_scopes import add_arg_scope
from tf2towers.runtime.slim.utils import (
    add_variable_to_collections,
    collect_named_outputs,
    get_variable_collections,
)
from tf2towers.runtime.slim.variables import model_variable, model_variable_getter

v1 = tf.compat.v1

LEAST_EPSILON = 1.001e-5
"""What TensorFlow 1.15's fused kernel was given at least, for cuDNN; TensorFlow 2, which has no slim, has no least."""


@add_arg_scope
def batch_norm(
    inputs: tf.Tensor,
    decay: float = 0.999,
    center: bool = True,
    scale: bool = False,
    epsilon: float = 0.001,
    activation_fn: Callable[..., Any] | None = None,
    param_initializers: dict[str, Any] | None = None,
    param_regularizers: dict[str, Any] | None = None,
    updates_collections: Any = v1.GraphKeys.UPDATE_OPS,
    is_training: Any = True,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    batch_weights: Any = None,
    fused: bool | None = None,
    data_format: str = "NHWC",
    zero_debias_moving_mean: bool = False,
    scope: Any = None,
    renorm: bool = False,
    renorm_clipping: Any = None,
    renorm_decay: float = 0.99,
    adjustment: Any = None,
) -> tf.Tensor:
    """`tf.contrib.layers.batch_norm`: same shape and dtype as `inputs`.

    Variables `beta` (with `center`), `gamma` (with `scale`), `moving_mean`, `moving_variance`. `updates_collections`
    None updates the averages in place: what follows waits for them.
    """
    if data_format not in ("NCHW", "NHWC"):
        raise ValueError("data_format has to be either NCHW or NHWC.")
    inputs = tf.convert_to_tensor(inputs)
    rank = inputs.shape.rank
    if rank is None:
        raise ValueError(f"Inputs {inputs} has undefined rank.")
    fused = fused is None or bool(fused)
    listed = updates_collections == v1.GraphKeys.UPDATE_OPS
    fusable = fused and batch_weights is None and not renorm and rank in (2, 4) and adjustment is None
    epsilon = max(epsilon, LEAST_EPSILON) if fusable else epsilon
    by_kernel = fusable and (zero_debias_moving_mean or rank == 2 or not listed)
    by_layer = not by_kernel and batch_weights is None and listed and not zero_debias_moving_mean
    if renorm and not by_layer:
        raise ValueError(
            "renorm is not supported with batch_weights, updates_collections or zero_debias_moving_mean"
        )
    getter = None if by_kernel else model_variable_getter()
    initializers, regularizers = param_initializers or {}, param_regularizers or {}
    with v1.variable_scope(scope, "BatchNorm", [inputs], reuse=reuse, custom_getter=getter) as sc:
        if by_layer:
            layer = BatchNormalization(
                axis=1 if data_format == "NCHW" else -1,
                momentum=decay,
                epsilon=epsilon,
                center=center,
                scale=scale,
                beta_initializer=initializers.get("beta", v1.zeros_initializer()),
                gamma_initializer=initializers.get("gamma", v1.ones_initializer()),
                moving_mean_initializer=initializers.get("moving_mean", v1.zeros_initializer()),
                moving_variance_initializer=initializers.get("moving_variance", v1.ones_initializer()),
                beta_regularizer=regularizers.get("beta"),
                gamma_regularizer=regularizers.get("gamma"),
                renorm=renorm,
                renorm_clipping=renorm_clipping,
                renorm_momentum=renorm_decay,
                adjustment=adjustment,
                fused=fused,
                trainable=trainable,
                name=sc.name,
                _scope=sc,
                _reuse=reuse,
            )
            outputs = layer(inputs, training=is_training)
            for name in ("moving_mean", "moving_variance", "beta", "gamma"):
                if getattr(layer, name) is not None:
                    add_variable_to_collections(getattr(layer, name), variables_collections, name)
        else:
            channels = inputs.shape.as_list()[1 if data_format == "NCHW" else -1]
            if channels is None:
                raise ValueError(f"Inputs {inputs} has undefined channels dimension.")
            parameters = _Parameters(
                int(channels),
                tf.float32 if by_kernel else inputs.dtype,
                center,
                scale,
                initializers,
                regularizers if by_kernel else {},
                variables_collections,
                trainable,
                zero_debias_moving_mean,
            )
            normalize = _fused if by_kernel else _by_moments
            outputs = normalize(
                inputs,
                parameters,
                decay,
                epsilon,
                updates_collections,
                is_training,
                data_format,
                batch_weights,
            )
        outputs.set_shape(inputs.shape)
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        return collect_named_outputs(outputs_collections, sc.name, outputs)


class _Parameters:
    """The variables of one batch normalization, (channels,) each."""

    def __init__(
        self,
        channels: int,
        dtype: tf.DType,
        center: bool,
        scale: bool,
        initializers: dict[str, Any],
        regularizers: dict[str, Any],
        variables_collections: Any,
        trainable: bool,
        zero_debias: bool,
    ) -> None:
        self.channels = channels
        self._towards = without_bias_to_zero if zero_debias else subtract_towards
        self.dtype = dtype
        zeros, ones = v1.zeros_initializer(), v1.ones_initializer()

        def make(name: str, initializer: Any, trainable: bool) -> Any:
            return model_variable(
                name,
                shape=[channels],
                dtype=dtype,
                initializer=initializers.get(name, initializer),
                regularizer=regularizers.get(name) if name in ("beta", "gamma") else None,
                collections=get_variable_collections(variables_collections, name),
                trainable=trainable,
            )

        self.beta = make("beta", zeros, trainable) if center else None
        self.gamma = make("gamma", ones, trainable) if scale else None
        with v1.variable_scope(v1.get_variable_scope()) as local:
            local.set_partitioner(None)
            self.moving_mean = make("moving_mean", zeros, False)
            self.moving_variance = make("moving_variance", ones, False)

    def update_now(self, mean: tf.Tensor, variance: tf.Tensor, decay: float) -> list[Any]:
        """Both averages, one step towards the batch's moments."""
        return [
            self._towards(self.moving_mean, mean, decay),
            subtract_towards(self.moving_variance, variance, decay),
        ]

    def update_later(
        self, mean: tf.Tensor, variance: tf.Tensor, decay: float, collections: Any, training: Any
    ) -> None:
        """The same as two operations in `collections`."""
        v1.add_to_collections(
            collections, update_in_training(self.moving_mean, mean, decay, training, self._towards)
        )
        v1.add_to_collections(
            collections, update_in_training(self.moving_variance, variance, decay, training)
        )


def _fused(
    inputs: tf.Tensor,
    parameters: _Parameters,
    decay: float,
    epsilon: float,
    updates_collections: Any,
    is_training: Any,
    data_format: str,
    batch_weights: Any,
) -> tf.Tensor:
    del batch_weights
    channels = parameters.channels
    beta = tf.zeros([channels]) if parameters.beta is None else parameters.beta
    gamma = tf.ones([channels]) if parameters.gamma is None else parameters.gamma
    pixels = inputs
    if inputs.shape.rank == 2:
        pixels = tf.reshape(inputs, [-1, channels, 1, 1] if data_format == "NCHW" else [-1, 1, 1, channels])

    def by_batch() -> Any:
        return v1.nn.fused_batch_norm(pixels, gamma, beta, epsilon=epsilon, data_format=data_format)

    def by_averages() -> Any:
        return v1.nn.fused_batch_norm(
            pixels,
            gamma,
            beta,
            mean=parameters.moving_mean,
            variance=parameters.moving_variance,
            epsilon=epsilon,
            is_training=False,
            data_format=data_format,
        )

    outputs, mean, variance = smart_cond(is_training, by_batch, by_averages)
    if known_bool(is_training) is not False:
        if updates_collections is None:

            def updated() -> tf.Tensor:
                with tf.control_dependencies(parameters.update_now(mean, variance, decay)):
                    return tf.identity(outputs)

            outputs = smart_cond(is_training, updated, lambda: outputs)
        else:
            parameters.update_later(mean, variance, decay, updates_collections, is_training)
    return tf.reshape(outputs, tf.shape(inputs)) if inputs.shape.rank == 2 else outputs


def _by_moments(
    inputs: tf.Tensor,
    parameters: _Parameters,
    decay: float,
    epsilon: float,
    updates_collections: Any,
    is_training: Any,
    data_format: str,
    batch_weights: Any,
) -> tf.Tensor:
    rank = inputs.shape.rank
    channels_first = data_format == "NCHW"
    moving_statistics = (parameters.moving_mean, parameters.moving_variance)
    mean, variance = moving_statistics
    if known_bool(is_training) is not False:
        axes = [0, *range(2, rank)] if channels_first else list(range(rank - 1))
        if batch_weights is None:
            mean, variance = v1.nn.moments(inputs, axes, keep_dims=channels_first)
        else:
            weights = tf.reshape(tf.convert_to_tensor(batch_weights), [-1] + [1] * (rank - 1))
            mean, variance = v1.nn.weighted_moments(inputs, axes, weights, keep_dims=channels_first)
        if channels_first:
            mean, variance = tf.reshape(mean, [-1]), tf.reshape(variance, [-1])
        of_batch = (mean, variance)

        def averages() -> tuple[tf.Tensor, tf.Tensor]:
            return tf.convert_to_tensor(moving_statistics[0]), tf.convert_to_tensor(moving_statistics[1])

        if updates_collections is None:

            def updated() -> tuple[tf.Tensor, tf.Tensor]:
                with tf.control_dependencies(parameters.update_now(*of_batch, decay)):
                    return tf.identity(of_batch[0]), tf.identity(of_batch[1])

            mean, variance = smart_cond(is_training, updated, averages)
        else:
            parameters.update_later(*of_batch, decay, updates_collections, is_training)
            mean, variance = smart_cond(is_training, lambda: of_batch, averages)

    def broadcast(value: Any) -> Any:
        shape = [1, parameters.channels] + [1] * (rank - 2)
        return tf.reshape(value, shape) if channels_first and value is not None else value

    return tf.nn.batch_normalization(
        inputs,
        broadcast(mean),
        broadcast(variance),
        broadcast(parameters.beta),
        broadcast(parameters.gamma),
        epsilon,
    )

"""Batch normalization (`tf.layers.batch_normalization`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from tf2towers.runtime.layers.autograph import unconverted
from tf2towers.runtime.layers.base import Layer
from tf2towers.runtime.layers.control import known_bool, smart_cond
from tf2towers.runtime.layers.moving_average import subtract_towards, update_in_training
from tf2towers.runtime.layers.types import Constraint, Initializer, Regularizer, Training


class BatchNormalization(Layer):
    """`tf.layers.BatchNormalization`: variables `gamma`, `beta`, `moving_mean`, `moving_variance`.

    Four dimensions with one axis, 1 or 3, go through the fused kernel, as in TF1 (whose moving variance is then the
    unbiased one); every other input through moments and arithmetic. In training the two moving averages get one
    operation each in UPDATE_OPS. Batch renormalization, virtual batches and `adjustment` are not here.
    """

    def __init__(
        self,
        axis: int | Sequence[int] = -1,
        momentum: float = 0.99,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Initializer = "zeros",
        gamma_initializer: Initializer = "ones",
        moving_mean_initializer: Initializer = "zeros",
        moving_variance_initializer: Initializer = "ones",
        beta_regularizer: Regularizer = None,
        gamma_regularizer: Regularizer = None,
        beta_constraint: Constraint = None,
        gamma_constraint: Constraint = None,
        renorm: bool = False,
        renorm_clipping: Any = None,
        renorm_momentum: float = 0.99,
        fused: bool | None = None,
        trainable: bool = True,
        virtual_batch_size: int | None = None,
        adjustment: Any = None,
        name: Any = None,
        **kwargs: Any,
    ) -> None:
        if renorm or virtual_batch_size is not None or adjustment is not None:
            raise NotImplementedError(
                "batch_normalization: renorm, virtual_batch_size and adjustment are not supported here"
            )
        del renorm_clipping, renorm_momentum
        super().__init__(trainable=trainable, name=name, **kwargs)
        self.axis = [axis] if isinstance(axis, int) else list(axis)
        self.momentum = momentum
        self.epsilon = epsilon
        self.center = center
        self.scale = scale
        self.beta_initializer = beta_initializer
        self.gamma_initializer = gamma_initializer
        self.moving_mean_initializer = moving_mean_initializer
        self.moving_variance_initializer = moving_variance_initializer
        self.beta_regularizer = beta_regularizer
        self.gamma_regularizer = gamma_regularizer
        self.beta_constraint = beta_constraint
        self.gamma_constraint = gamma_constraint
        self.fused = fused is None or bool(fused)
        self.gamma: Any = None
        self.beta: Any = None
        self.moving_mean: Any = None
        self.moving_variance: Any = None

    def build(self, input_shape: Any) -> None:
        """Variables of one element per place of the axis, in float32 where the input is half precision."""
        shape = tf.TensorShape(input_shape)
        if not shape.rank:
            raise ValueError(f"Input has undefined rank: {shape}")
        rank, sizes = shape.rank, shape.as_list()
        self.axis = [dimension if dimension >= 0 else rank + dimension for dimension in self.axis]
        if any(not 0 <= dimension < rank for dimension in self.axis) or len(set(self.axis)) != len(self.axis):
            raise ValueError(f"Invalid axis: {self.axis}")
        if any(sizes[dimension] is None for dimension in self.axis):
            raise ValueError(f"Input has undefined `axis` dimension. Input shape: {shape}")
        self.fused = self.fused and rank == 4 and self.axis in ([1], [3])
        dtype = self._parameter_dtype
        places = (
            [sizes[self.axis[0]]]
            if len(self.axis) == 1
            else [sizes[i] if i in self.axis else 1 for i in range(rank)]
        )
        if self.scale:
            self.gamma = self.add_weight(
                "gamma",
                places,
                dtype,
                self.gamma_initializer,
                self.gamma_regularizer,
                constraint=self.gamma_constraint,
            )
        if self.center:
            self.beta = self.add_weight(
                "beta",
                places,
                dtype,
                self.beta_initializer,
                self.beta_regularizer,
                constraint=self.beta_constraint,
            )
        partitioner = self._scope.partitioner
        self._scope.set_partitioner(None)
        try:
            self.moving_mean = self._statistic("moving_mean", places, self.moving_mean_initializer)
            self.moving_variance = self._statistic(
                "moving_variance", places, self.moving_variance_initializer
            )
        finally:
            self._scope.set_partitioner(partitioner)

    def call(self, inputs: tf.Tensor, training: Training = False) -> tf.Tensor:
        """Same shape and dtype as `inputs`, normalized by the batch in training and by the averages otherwise."""
        return self._fused(inputs, training) if self.fused else self._unfused(inputs, training)

    @property
    def _parameter_dtype(self) -> tf.DType:
        return tf.float32 if self.dtype in (None, tf.float16, tf.bfloat16) else self.dtype

    def _statistic(self, name: str, shape: Any, initializer: Initializer) -> Any:
        return self.add_weight(
            name,
            shape,
            self._parameter_dtype,
            initializer,
            trainable=False,
            synchronization=tf.VariableSynchronization.ON_READ,
            aggregation=tf.VariableAggregation.MEAN,
        )

    def _fused(self, inputs: tf.Tensor, training: Training) -> tf.Tensor:
        places = self.moving_mean.shape
        beta = self.beta if self.center else tf.zeros(places, self._parameter_dtype)
        gamma = self.gamma if self.scale else tf.ones(places, self._parameter_dtype)
        data_format = "NCHW" if self.axis == [1] else "NHWC"

        def by_batch() -> Any:
            return tf.compat.v1.nn.fused_batch_norm(
                inputs, gamma, beta, epsilon=self.epsilon, data_format=data_format
            )

        def by_averages() -> Any:
            return tf.compat.v1.nn.fused_batch_norm(
                inputs,
                gamma,
                beta,
                mean=self.moving_mean,
                variance=self.moving_variance,
                epsilon=self.epsilon,
                is_training=False,
                data_format=data_format,
            )

        outputs, mean, variance = smart_cond(training, by_batch, by_averages)
        known = known_bool(training)
        if known is None:
            momentum = smart_cond(training, lambda: tf.constant(self.momentum), lambda: tf.constant(1.0))
        else:
            momentum = tf.convert_to_tensor(
                self.momentum
            )  # 1 - momentum in float32, as TF1's fused layer takes it
        if known is not False:
            self.add_update(
                lambda: [
                    subtract_towards(self.moving_mean, mean, momentum),
                    subtract_towards(self.moving_variance, variance, momentum),
                ]
            )
        return outputs

    def _unfused(self, inputs: tf.Tensor, training: Training) -> tf.Tensor:
        rank = inputs.shape.rank
        reduced = [i for i in range(rank) if i not in self.axis]
        if known_bool(training) is False:
            mean, variance = self.moving_mean, self.moving_variance
        else:
            keep = len(self.axis) > 1
            of_batch = tf.compat.v1.nn.moments(
                tf.cast(inputs, self._parameter_dtype), reduced, keep_dims=keep
            )
            mean = smart_cond(training, lambda: of_batch[0], lambda: tf.convert_to_tensor(self.moving_mean))
            variance = smart_cond(
                training, lambda: of_batch[1], lambda: tf.convert_to_tensor(self.moving_variance)
            )
            self.add_update(
                lambda: [
                    update_in_training(self.moving_mean, mean, self.momentum, training),
                    update_in_training(self.moving_variance, variance, self.momentum, training),
                ]
            )

        def broadcast(value: Any) -> Any:
            if value is None:
                return None
            if len(value.shape) != rank and reduced != list(range(rank - 1)):
                value = tf.reshape(
                    value, [size if i == self.axis[0] else 1 for i, size in enumerate(inputs.shape.as_list())]
                )
            return tf.cast(value, inputs.dtype)

        outputs = tf.nn.batch_normalization(
            inputs,
            broadcast(mean),
            broadcast(variance),
            broadcast(self.beta),
            broadcast(self.gamma),
            self.epsilon,
        )
        outputs.set_shape(inputs.shape)
        return outputs


@unconverted
def batch_normalization(
    inputs: tf.Tensor,
    axis: int | Sequence[int] = -1,
    momentum: float = 0.99,
    epsilon: float = 1e-3,
    center: bool = True,
    scale: bool = True,
    beta_initializer: Initializer = "zeros",
    gamma_initializer: Initializer = "ones",
    moving_mean_initializer: Initializer = "zeros",
    moving_variance_initializer: Initializer = "ones",
    beta_regularizer: Regularizer = None,
    gamma_regularizer: Regularizer = None,
    beta_constraint: Constraint = None,
    gamma_constraint: Constraint = None,
    training: Training = False,
    trainable: bool = True,
    name: str | None = None,
    reuse: Any = None,
    renorm: bool = False,
    renorm_clipping: Any = None,
    renorm_momentum: float = 0.99,
    fused: bool | None = None,
    virtual_batch_size: int | None = None,
    adjustment: Any = None,
) -> tf.Tensor:
    """`tf.layers.batch_normalization`: any shape with a known `axis` dimension; same shape and dtype out."""
    return BatchNormalization(
        axis, momentum, epsilon, center, scale, beta_initializer, gamma_initializer,
        moving_mean_initializer, moving_variance_initializer, beta_regularizer, gamma_regularizer,
        beta_constraint, gamma_constraint, renorm, renorm_clipping, renorm_momentum, fused, trainable,
        virtual_batch_size, adjustment, name, _reuse=reuse, _scope=name,
    )(inputs, training=training)  # fmt: skip

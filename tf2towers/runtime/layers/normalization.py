"""Batch normalization (`tf.layers.batch_normalization`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from tf2towers.runtime.layers.arguments import initializer_function
from tf2towers.runtime.layers.autograph import unconverted
from tf2towers.runtime.layers.base import Layer
from tf2towers.runtime.layers.control import known_bool, smart_cond
from tf2towers.runtime.layers.moving_average import subtract_towards, update_in_training
from tf2towers.runtime.layers.renormalization import Renormalization
from tf2towers.runtime.layers.types import Constraint, Initializer, Regularizer, Training


class BatchNormalization(Layer):
    """`tf.layers.BatchNormalization`: variables `gamma`, `beta`, `moving_mean`, `moving_variance`.

    Four dimensions with one axis, 1 or 3, go through the fused kernel, as in TF1 (whose moving variance is then the
    unbiased one); every other input through moments and arithmetic, and so do renormalized ones, those in virtual
    batches (each normalized by itself) and those with an `adjustment`. In training the two moving averages get one
    operation each in UPDATE_OPS.
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
        self.renorm = renorm
        self.renorm_clipping = Renormalization.checked_clipping(renorm_clipping) if renorm else {}
        self.renorm_momentum = renorm_momentum
        self.virtual_batch_size = virtual_batch_size
        self.adjustment = adjustment
        self.fused = (fused is None or bool(fused)) and not (
            renorm or virtual_batch_size is not None or adjustment is not None
        )
        self.gamma: Any = None
        self.beta: Any = None
        self.moving_mean: Any = None
        self.moving_variance: Any = None
        self.renormalization: Renormalization | None = None

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
            if len(self.axis) == 1 and self.virtual_batch_size is None
            else [sizes[i] if i in self.axis else 1 for i in range(rank)]
        )
        if self.virtual_batch_size is not None:
            self._check_virtual_batches()
            places.insert(1, 1)
            self.axis = [
                dimension + 1 for dimension in self.axis
            ]  # behind the dimension of the virtual batches
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
        self._set_scope(None)
        partitioner = self._scope.partitioner
        self._scope.set_partitioner(None)
        try:
            self.moving_mean = self._statistic("moving_mean", places, self.moving_mean_initializer)
            self.moving_variance = self._statistic(
                "moving_variance", places, self.moving_variance_initializer
            )
            if self.renorm:
                self.renormalization = Renormalization.of(
                    lambda name, initializer: self._statistic(name, places, initializer),
                    self.moving_mean_initializer,
                    initializer_function(self.moving_variance_initializer),
                    clipping=self.renorm_clipping,
                    momentum=self.renorm_momentum,
                    epsilon=self.epsilon,
                )
        finally:
            self._scope.set_partitioner(partitioner)
        self.built = True

    def call(self, inputs: tf.Tensor, training: Training = False) -> tf.Tensor:
        """Same shape and dtype as `inputs`, normalized by the batch in training and by the averages otherwise."""
        if self.virtual_batch_size is not None:
            shape = [-1, *inputs.shape.as_list()[1:]]
            batches = tf.reshape(inputs, [self.virtual_batch_size, -1, *shape[1:]])
            return tf.reshape(self._unfused(batches, training), shape)
        return self._fused(inputs, training) if self.fused else self._unfused(inputs, training)

    def _check_virtual_batches(self) -> None:
        if (self.virtual_batch_size or 0) <= 0:
            raise ValueError("virtual_batch_size must be a positive integer that divides the batch size")
        if 0 in self.axis:
            raise ValueError(
                "When using virtual_batch_size, the batch dimension must be 0 and thus axis cannot include 0"
            )
        if self.adjustment is not None:
            raise ValueError("When using virtual_batch_size, adjustment cannot be specified")

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
        if self.virtual_batch_size is not None:
            del reduced[1]

        def broadcast(value: Any) -> Any:
            if value is not None and len(value.shape) != rank and reduced != list(range(rank - 1)):
                return tf.reshape(
                    value, [size if i == self.axis[0] else 1 for i, size in enumerate(inputs.shape.as_list())]
                )
            return value

        scale, offset = broadcast(self.gamma), broadcast(self.beta)
        if known_bool(training) is False:
            mean, variance = self.moving_mean, self.moving_variance
        else:
            if self.adjustment is not None:
                factor, shift = self.adjustment(tf.shape(inputs))
                factor, shift = (
                    smart_cond(training, lambda: factor, lambda: tf.ones_like(factor)),
                    smart_cond(training, lambda: shift, lambda: tf.zeros_like(shift)),
                )
                scale, offset = _composed(factor, shift, scale, offset)
            keep = self.virtual_batch_size is not None or len(self.axis) > 1
            of_batch = tf.compat.v1.nn.moments(
                tf.cast(inputs, self._parameter_dtype), reduced, keep_dims=keep
            )
            mean = smart_cond(training, lambda: of_batch[0], lambda: tf.convert_to_tensor(self.moving_mean))
            variance = smart_cond(
                training, lambda: of_batch[1], lambda: tf.convert_to_tensor(self.moving_variance)
            )
            new_mean, new_variance = mean, variance
            if self.virtual_batch_size is not None:
                new_mean, new_variance = (
                    tf.reduce_mean(moment, axis=1, keepdims=True) for moment in (mean, variance)
                )
            if self.renormalization is not None:
                r, d, new_mean, new_variance = self.renormalization.correct(new_mean, new_variance, training)
                scale, offset = _composed(broadcast(r), broadcast(d), scale, offset)
            self.add_update(
                lambda: [
                    update_in_training(self.moving_mean, new_mean, self.momentum, training),
                    update_in_training(
                        self.moving_variance, new_variance, self.momentum, training, self._towards_variance
                    ),
                ]
            )

        mean, variance, offset, scale = (
            None if value is None else tf.cast(value, inputs.dtype)
            for value in (broadcast(mean), broadcast(variance), offset, scale)
        )
        outputs = tf.nn.batch_normalization(inputs, mean, variance, offset, scale, self.epsilon)
        outputs.set_shape(inputs.shape)
        return outputs

    def _towards_variance(self, variable: Any, variance: tf.Tensor, momentum: Any) -> Any:
        if self.renormalization is None:
            return subtract_towards(variable, variance, momentum)
        return self.renormalization.update_variance(variable, variance, momentum)


def _composed(scale: Any, offset: Any, then_scale: Any, then_offset: Any) -> tuple[Any, Any]:
    """One scale and one offset for two after each other."""
    if then_scale is not None:
        scale, offset = scale * then_scale, offset * then_scale
    return scale, offset if then_offset is None else offset + then_offset


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

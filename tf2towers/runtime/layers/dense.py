"""Fully connected layers (`tf.layers.dense`)."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from tf2towers.runtime.layers.arguments import activation_function
from tf2towers.runtime.layers.autograph import unconverted
from tf2towers.runtime.layers.base import InputSpec, Layer
from tf2towers.runtime.layers.types import Activation, Constraint, Initializer, Regularizer


class Dense(Layer):
    """`tf.layers.Dense`: variables `kernel` (last dimension, units) and `bias` (units,)."""

    def __init__(
        self,
        units: int,
        activation: Activation = None,
        use_bias: bool = True,
        kernel_initializer: Initializer = None,
        bias_initializer: Initializer = "zeros",
        kernel_regularizer: Regularizer = None,
        bias_regularizer: Regularizer = None,
        activity_regularizer: Regularizer = None,
        kernel_constraint: Constraint = None,
        bias_constraint: Constraint = None,
        trainable: bool = True,
        name: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(trainable=trainable, name=name, activity_regularizer=activity_regularizer, **kwargs)
        self.units = int(units)
        self.activation = activation_function(activation)
        self.use_bias = use_bias
        self.kernel_initializer = kernel_initializer
        self.bias_initializer = bias_initializer
        self.kernel_regularizer = kernel_regularizer
        self.bias_regularizer = bias_regularizer
        self.kernel_constraint = kernel_constraint
        self.bias_constraint = bias_constraint
        self.input_spec = InputSpec(min_ndim=2)
        self.kernel: Any = None
        self.bias: Any = None

    def build(self, input_shape: Any) -> None:
        """Raises ValueError where the last dimension is unknown, TypeError for inputs that are not floating point."""
        dtype = self.dtype or tf.float32
        if not (dtype.is_floating or dtype.is_complex):
            raise TypeError(f"Unable to build `Dense` layer with non-floating point dtype {dtype}")
        last = tf.compat.dimension_value(tf.TensorShape(input_shape)[-1])
        if last is None:
            raise ValueError("The last dimension of the inputs to `Dense` should be defined. Found `None`.")
        self.kernel = self.add_weight(
            "kernel",
            shape=[last, self.units],
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
        )
        if self.use_bias:
            self.bias = self.add_weight(
                "bias",
                shape=[self.units],
                initializer=self.bias_initializer,
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
            )
        self.built = True

    def compute_output_shape(self, input_shape: Any) -> tf.TensorShape:
        """(..., last) -> (..., units)."""
        return tf.TensorShape(input_shape)[:-1].concatenate(self.units)

    def call(self, inputs: tf.Tensor) -> tf.Tensor:
        """(..., last) -> (..., units): one matrix product, after a reshape where there are more than two dimensions."""
        if isinstance(inputs, tf.SparseTensor):
            outputs = tf.sparse.sparse_dense_matmul(inputs, self.kernel)
        elif inputs.shape.rank > 2:
            outputs = tf.tensordot(inputs, self.kernel, [[inputs.shape.rank - 1], [0]])
            outputs.set_shape([*inputs.shape.as_list()[:-1], self.units])
        else:
            outputs = tf.matmul(tf.cast(inputs, self.dtype), self.kernel)
        if self.use_bias:
            outputs = tf.nn.bias_add(outputs, self.bias)
        return outputs if self.activation is None else self.activation(outputs)


@unconverted
def dense(
    inputs: tf.Tensor,
    units: int,
    activation: Activation = None,
    use_bias: bool = True,
    kernel_initializer: Initializer = None,
    bias_initializer: Initializer = "zeros",
    kernel_regularizer: Regularizer = None,
    bias_regularizer: Regularizer = None,
    activity_regularizer: Regularizer = None,
    kernel_constraint: Constraint = None,
    bias_constraint: Constraint = None,
    trainable: bool = True,
    name: str | None = None,
    reuse: Any = None,
) -> tf.Tensor:
    """`tf.layers.dense`: (..., last) -> (..., units); variables `kernel`, `bias`."""
    return Dense(
        units, activation, use_bias, kernel_initializer, bias_initializer, kernel_regularizer, bias_regularizer,
        activity_regularizer, kernel_constraint, bias_constraint, trainable, name, _reuse=reuse, _scope=name,
    )(inputs)  # fmt: skip

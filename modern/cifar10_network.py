"""The CIFAR-10 network of cifar10_mirrored.py in Keras. TF1: legacy/cifar10_model.py."""

from __future__ import annotations

from typing import Any

import keras
import tensorflow as tf

#: filters of the convolutions, units of the hidden layers, and whether responses are normalized
NETWORKS = {"small": ((16, 32), (96,), False), "tutorial": ((64, 64), (384, 192), True)}


@keras.saving.register_keras_serializable("cifar10")
class LocalResponseNormalization(keras.layers.Layer):
    """Divides each value by a norm over the neighbouring channels."""

    def call(self, x: tf.Tensor) -> tf.Tensor:
        """The normalized values, of the same shape."""
        return tf.nn.local_response_normalization(x, 4, bias=1.0, alpha=0.001 / 9.0, beta=0.75)


def inference(batch_norm: bool, seed: int, network: str = "small") -> keras.Model:
    """TF1: cifar10_model.inference. Layers own variables and losses: no get_variable, reuse, collections."""
    filters, hidden, normalize = NETWORKS[network]
    normal, constant = keras.initializers.TruncatedNormal, keras.initializers.Constant

    def convolution(x: Any, number: int, bias: float) -> Any:
        x = keras.layers.Conv2D(
            filters[number - 1], kernel_size=5, padding="same", use_bias=not batch_norm, name=f"conv{number}",
            kernel_initializer=normal(0.0, 5e-2, seed + number), bias_initializer=constant(bias),
        )(x)  # fmt: skip
        if batch_norm:  # each replica normalizes with the statistics of its own part, as each tower did
            x = keras.layers.BatchNormalization(momentum=0.9, epsilon=1e-3, name=f"conv{number}_norm")(x)
        return keras.layers.ReLU(name=f"conv{number}_relu")(x)

    images = keras.Input((24, 24, 3), name="images")
    x = keras.layers.MaxPooling2D(3, 2, padding="same", name="pool1")(convolution(images, 1, bias=0.0))
    x = LocalResponseNormalization(name="norm1")(x) if normalize else x
    x = convolution(x, 2, bias=0.1)
    x = LocalResponseNormalization(name="norm2")(x) if normalize else x
    x = keras.layers.Flatten()(keras.layers.MaxPooling2D(3, 2, padding="same", name="pool2")(x))
    for number, units in enumerate(hidden, 3):
        x = keras.layers.Dense(
            units, activation="relu", name=f"local{number}",
            kernel_initializer=normal(0.0, 0.04, seed + number), bias_initializer=constant(0.1),
            kernel_regularizer=keras.regularizers.L2(0.004 / 2),  # TF1: 0.004 * l2_loss, and that is half the sum
        )(x)  # fmt: skip
    last = normal(0.0, 1.0 / hidden[-1], seed + 3 + len(hidden))
    return keras.Model(images, keras.layers.Dense(10, kernel_initializer=last, name="softmax_linear")(x))

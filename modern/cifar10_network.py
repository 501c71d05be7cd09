"""The CIFAR-10 network of cifar10_mirrored.py in Keras: legacy/cifar10_model.py's small one."""

from typing import Any

import keras


def inference(batch_norm: bool) -> keras.Model:
    """TF1: cifar10_model.inference. Layers own variables and losses: no get_variable, reuse, collections."""
    normal, constant = keras.initializers.TruncatedNormal, keras.initializers.Constant

    def convolution(x: Any, number: int, filters: int, bias: float) -> Any:
        x = keras.layers.Conv2D(
            filters, kernel_size=5, padding="same", use_bias=not batch_norm, name=f"conv{number}",
            kernel_initializer=normal(0.0, 5e-2), bias_initializer=constant(bias),
        )(x)  # fmt: skip
        if batch_norm:  # each replica normalizes with the statistics of its own part, as each tower did
            x = keras.layers.BatchNormalization(momentum=0.9, epsilon=1e-3, name=f"conv{number}_norm")(x)
        x = keras.layers.ReLU(name=f"conv{number}_relu")(x)
        return keras.layers.MaxPooling2D(3, 2, padding="same", name=f"pool{number}")(x)

    images = keras.Input((24, 24, 3), name="images")
    x = convolution(images, 1, filters=16, bias=0.0)
    x = keras.layers.Flatten()(convolution(x, 2, filters=32, bias=0.1))
    x = keras.layers.Dense(
        96, activation="relu", name="local3",
        kernel_initializer=normal(0.0, 0.04), bias_initializer=constant(0.1),
        kernel_regularizer=keras.regularizers.L2(0.004 / 2),  # TF1: 0.004 * l2_loss, and that is half the sum
    )(x)  # fmt: skip
    last = normal(0.0, 1.0 / 96)
    return keras.Model(images, keras.layers.Dense(10, kernel_initializer=last, name="softmax_linear")(x))

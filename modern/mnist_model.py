"""The network of legacy/mnist_supervisor.py in Keras 3, its loss, and the flags of the training."""

from __future__ import annotations

import math
from typing import Any

import keras
import tensorflow as tf
from absl import flags

IMAGE_PIXELS = 28
EPSILON = 1e-8  # TF1's Adam; Keras's default is 1e-7


def define_flags(issync: bool, log_dir: str) -> None:
    """The legacy script's flags for the training, then two of our own."""
    flags.DEFINE_string("data_dir", "", "Directory of the MNIST files. Empty: the embedded digits.")
    flags.DEFINE_alias("data-dir", "data_dir")
    flags.DEFINE_integer("issync", int(issync), "1: synchronous training, 0: asynchronous.")
    flags.DEFINE_integer("train_steps", 1000, "Number of training steps to perform, all workers together.")
    flags.DEFINE_integer("batch_size", 100, "Images a worker takes in one step.")
    flags.DEFINE_integer("hidden_units", 100, "Number of units in the hidden layer.")
    flags.DEFINE_float("learning_rate", 0.01, "Learning rate.")
    where = "Where the chief writes checkpoints. The same for all tasks."
    flags.DEFINE_string("log_dir", log_dir, where, allow_override=True)  # absl has a flag of that name
    flags.DEFINE_integer("seed", 0, "The initial weights follow from it, and where stated the batches.")
    flags.DEFINE_integer("log_every", 100, "Steps between two log lines.")
    flags.DEFINE_integer("checkpoint_every", 500, "Steps between two checkpoints.")


def build_model(hidden_units: int, seed: int) -> keras.Model:
    """784 pixels, one hidden layer, 10 probabilities. TF1: hid_w, hid_b, sm_w, sm_b."""
    normal = keras.initializers.TruncatedNormal  # of mean, stddev, seed
    images = keras.Input((IMAGE_PIXELS * IMAGE_PIXELS,), name="x")
    hidden = keras.layers.Dense(
        hidden_units,
        activation="relu",
        kernel_initializer=normal(0.0, 1.0 / IMAGE_PIXELS, seed),
        name="hid",
    )(images)
    last = normal(0.0, 1.0 / math.sqrt(hidden_units), seed + 1)
    return keras.Model(
        images, keras.layers.Dense(10, activation="softmax", kernel_initializer=last, name="sm")(hidden)
    )


class FusedAdam(keras.optimizers.Adam):
    """Keras's Adam, with its update in one operation a variable, as TF1's has it, where Keras has sixteen."""

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        """Change one variable where it is. Keras calls this within `strategy.extended.update`."""
        index = self._get_variable_index(variable)
        step = tf.cast(self.iterations.value + 1, variable.dtype)
        tf.raw_ops.ResourceApplyAdam(
            var=variable.handle,
            m=self._momentums[index].value.handle,
            v=self._velocities[index].value.handle,
            beta1_power=self.beta_1**step,
            beta2_power=self.beta_2**step,
            lr=tf.cast(learning_rate, variable.dtype),
            beta1=self.beta_1,
            beta2=self.beta_2,
            epsilon=self.epsilon,
            grad=gradient,
        )


def cross_entropy(probabilities: tf.Tensor, labels: tf.Tensor) -> tf.Tensor:
    """Summed over the batch, as in TF1: a larger batch makes larger gradients."""
    return -tf.reduce_sum(labels * tf.math.log(tf.clip_by_value(probabilities, 1e-10, 1.0)))


def gradients(model: keras.Model, images: tf.Tensor, labels: tf.Tensor) -> tuple[tf.Tensor, list[tf.Tensor]]:
    """One replica's loss and gradients, of its own batch."""
    with tf.GradientTape() as tape:
        loss = cross_entropy(model(images, training=True), labels)
    return loss, tape.gradient(loss, [v.value for v in model.trainable_variables])

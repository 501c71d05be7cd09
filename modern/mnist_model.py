"""The network of legacy/mnist_supervisor.py in Keras, its loss, and its images."""

from __future__ import annotations

import gzip
import math
from pathlib import Path

import digits
import keras
import numpy as np
import tensorflow as tf

PIXELS = 28 * 28
VALIDATION = 5000  # of MNIST's 60000 training images the first ones, as in TF1


def inference(hidden_units: int, seed: int) -> keras.Model:
    """784 pixels, one hidden layer, 10 probabilities. TF1: hid_w, hid_b, sm_w, sm_b."""
    normal = keras.initializers.TruncatedNormal  # of mean, stddev, seed
    first, last = normal(0.0, 1.0 / 28, seed), normal(0.0, 1.0 / math.sqrt(hidden_units), seed + 1)
    images = keras.Input((PIXELS,), name="x")
    hidden = keras.layers.Dense(hidden_units, activation="relu", kernel_initializer=first, name="hid")(images)
    # float32 in every precision: of float16 the sum of the exponentials would be rounded
    softmax = keras.layers.Dense(
        10, activation="softmax", kernel_initializer=last, name="sm", dtype="float32"
    )
    return keras.Model(images, softmax(hidden))


def cross_entropy(probabilities: tf.Tensor, labels: tf.Tensor) -> tf.Tensor:
    """Summed over the batch, as in TF1: a larger batch makes larger gradients."""
    return -tf.reduce_sum(labels * tf.math.log(tf.clip_by_value(probabilities, 1e-10, 1.0)))


def gradients(
    model: keras.Model, optimizer: keras.Optimizer, images: tf.Tensor, labels: tf.Tensor, replicas: int = 1
) -> tuple[tf.Tensor, list[tf.Tensor]]:
    """One replica's loss, of its own batch, and its share of the mean gradients, which the optimizer adds up."""
    with tf.GradientTape() as tape:
        loss = cross_entropy(model(images, training=True), labels)
        scaled = optimizer.scale_loss(loss / replicas)
    return loss, tape.gradient(scaled, model.trainable_variables)


def load(data_dir: str) -> list[tuple[np.ndarray, np.ndarray]]:
    """MNIST's images for training and for validation, or the digits: uint8 [n, 784], and labels uint8 [n]."""
    if not data_dir:
        (images, labels), (others, their) = digits.load("train"), digits.load("test")
        parts = [(images, labels), (others[:150], their[:150])]
        return [(pixels[:, 2:30, 2:30, 0].reshape(-1, PIXELS), own.astype(np.uint8)) for pixels, own in parts]
    arrays = []
    for name, header in (("train-images-idx3-ubyte", 16), ("train-labels-idx1-ubyte", 8)):
        found = [path for path in (Path(data_dir, f"{name}.gz"), Path(data_dir, name)) if path.is_file()]
        if not found:
            raise SystemExit(f"{data_dir} has no {name}, with or without .gz")
        with (gzip.open if found[0].suffix else open)(found[0], "rb") as file:
            arrays.append(np.frombuffer(file.read(), np.uint8, offset=header))
    if arrays[0].size != arrays[1].size * PIXELS:
        raise SystemExit(
            f"{data_dir} is damaged: {arrays[1].size} labels, {arrays[0].size} pixels; fetch it again"
        )
    images = arrays[0].reshape(-1, PIXELS)
    return [(images[VALIDATION:], arrays[1][VALIDATION:]), (images[:VALIDATION], arrays[1][:VALIDATION])]


def prepared(images: tf.Tensor, labels: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """Float32 from 0 to 1, and one-hot."""
    return tf.cast(images, tf.float32) / 255.0, tf.one_hot(labels, 10)


def training_batches(
    context: tf.distribute.InputContext, arrays: tuple[np.ndarray, np.ndarray], batch_size: int,
    seed: int | None = None, first: int = 0,
) -> tf.data.Dataset:  # fmt: skip
    """A worker's batches without end, one for each of its replicas a step. TF1: mnist.train.next_batch, feed_dict.

    Each worker shuffles its own part of the images, from the batch after `first` steps on: an epoch's seed makes its
    order. Without a seed the order is another one in each worker and each run.
    """
    part = slice(context.input_pipeline_id, None, context.num_input_pipelines)
    images, labels = (tf.constant(array[part]) for array in arrays)
    number, replicas = len(arrays[1][part]), context.num_replicas_in_sync // context.num_input_pipelines
    epoch, begun = divmod(first * replicas * batch_size, number)

    def rows(epoch: tf.Tensor) -> tf.data.Dataset:
        """In the order of this epoch."""
        order = tf.random.experimental.stateless_shuffle(tf.range(number), tf.stack([seed, epoch]))
        return tf.data.Dataset.from_tensor_slices(order)

    if seed is None:
        endless = tf.data.Dataset.range(number).shuffle(number).repeat()
    else:
        endless = tf.data.Dataset.counter(epoch).flat_map(rows).skip(begun)
    batches = endless.batch(batch_size, drop_remainder=True)
    batches = batches.map(
        lambda rows: prepared(tf.gather(images, rows), tf.gather(labels, rows)), tf.data.AUTOTUNE
    )
    infinite = tf.data.experimental.assert_cardinality(tf.data.INFINITE_CARDINALITY)
    return batches.apply(infinite).prefetch(tf.data.AUTOTUNE)

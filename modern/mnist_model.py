"""The network of legacy/mnist_supervisor.py in Keras, its loss, and its images."""

import gzip
import math
from pathlib import Path
from typing import Any

import digits
import keras
import numpy as np
import tensorflow as tf


def inference(hidden_units: int) -> keras.Model:
    """784 pixels, one hidden layer, 10 probabilities. TF1: hid_w, hid_b, sm_w, sm_b."""
    normal = keras.initializers.TruncatedNormal
    first, last = normal(0.0, 1.0 / 28), normal(0.0, 1.0 / math.sqrt(hidden_units))
    images = keras.Input((784,), name="x")
    hidden = keras.layers.Dense(hidden_units, "relu", kernel_initializer=first, name="hid")(images)
    # float32 in every precision: of float16 the sum of the exponentials would be rounded
    softmax = keras.layers.Dense(10, "softmax", kernel_initializer=last, name="sm", dtype="float32")
    return keras.Model(images, softmax(hidden))


def cross_entropy(probabilities: tf.Tensor, labels: tf.Tensor) -> tf.Tensor:
    """Summed over the batch, as in TF1: a larger batch makes larger gradients."""
    return -tf.reduce_sum(labels * tf.math.log(tf.clip_by_value(probabilities, 1e-10, 1.0)))


def gradients(model: Any, optimizer: Any, images: Any, labels: Any, replicas: int = 1) -> tuple[Any, list]:
    """One replica's loss, of its own batch, and its share of the mean gradients, which the optimizer adds up."""
    with tf.GradientTape() as tape:
        loss = cross_entropy(model(images, training=True), labels)
        scaled = optimizer.scale_loss(loss / replicas)
    return loss, tape.gradient(scaled, model.trainable_variables)


def load(data_dir: str) -> list[tuple[np.ndarray, np.ndarray]]:
    """MNIST's images for training and for validation, or the digits: uint8 [n, 784], and labels uint8 [n]."""
    if not data_dir:
        parts = [digits.load("train"), [array[:150] for array in digits.load("test")]]
        return [(pixels[:, 2:30, 2:30, 0].reshape(-1, 784), own.astype(np.uint8)) for pixels, own in parts]
    arrays = []
    for name, header in (("train-images-idx3-ubyte", 16), ("train-labels-idx1-ubyte", 8)):
        found = [path for path in (Path(data_dir, f"{name}.gz"), Path(data_dir, name)) if path.is_file()]
        if not found:
            raise SystemExit(f"{data_dir} has no {name}, with or without .gz")
        with (gzip.open if found[0].suffix else open)(found[0], "rb") as file:
            arrays.append(np.frombuffer(file.read(), np.uint8, offset=header))
    if arrays[0].size != arrays[1].size * 784:
        raise SystemExit(f"{data_dir} is damaged: {arrays[1].size} labels, {arrays[0].size} pixels")
    images, labels = arrays[0].reshape(-1, 784), arrays[1]
    return [(images[5000:], labels[5000:]), (images[:5000], labels[:5000])]  # as in TF1


def prepared(images: tf.Tensor, labels: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """Float32 from 0 to 1, and one-hot."""
    return tf.cast(images, tf.float32) / 255.0, tf.one_hot(labels, 10)


def evaluation(model: Any, images: tf.Tensor, labels: tf.Tensor) -> tf.Tensor:
    """The cross entropy of images as `load` returns them, summed: that of all images is the sum of their parts'."""
    pixels, one_hot = prepared(images, labels)
    return cross_entropy(model(pixels, training=False), one_hot)

"""The network of legacy/mnist_supervisor.py in Keras, its loss, and its images."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import devices
import keras
import tensorflow as tf
import trainer_data

IMAGE_PIXELS = 28
EPSILON = 1e-8  # TF1's Adam; Keras's default is 1e-7


def inference(hidden_units: int, seed: int) -> keras.Model:
    """784 pixels, one hidden layer, 10 probabilities. TF1: hid_w, hid_b, sm_w, sm_b."""
    normal = keras.initializers.TruncatedNormal  # of mean, stddev, seed
    first, last = normal(0.0, 1.0 / IMAGE_PIXELS, seed), normal(0.0, 1.0 / math.sqrt(hidden_units), seed + 1)
    images = keras.Input((IMAGE_PIXELS * IMAGE_PIXELS,), name="x")
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
    model: keras.Model, optimizer: Any, images: tf.Tensor, labels: tf.Tensor
) -> tuple[tf.Tensor, list[tf.Tensor]]:
    """One replica's loss, of its own batch, and its gradients, which the optimizer applies."""
    with tf.GradientTape() as tape:
        loss = cross_entropy(model(images, training=True), labels)
        scaled = devices.scaled(optimizer, loss)
    return loss, devices.unscaled(optimizer, tape.gradient(scaled, model.trainable_variables))


@tf.autograph.experimental.do_not_convert
def training_batches(
    context: tf.distribute.InputContext,
    data_dir: str,
    batch_size: int,
    seed: int | None = None,
    first: int = 0,
) -> tf.data.Dataset:
    """A worker's batches without end, one for each of its replicas a step. TF1: mnist.train.next_batch, feed_dict.

    Each worker reads and shuffles its own part of the images, from the batch after `first` steps on. Without a seed
    the order is another one in each worker and each run.
    """
    if data_dir:
        images, labels, *_ = trainer_data.find_mnist(Path(data_dir))
        records = [
            tf.data.FixedLengthRecordDataset(
                str(path), size, header, compression_type="GZIP" if path.suffix == ".gz" else ""
            )
            for path, size, header in (
                (images, IMAGE_PIXELS * IMAGE_PIXELS, trainer_data.IMAGES_HEADER),
                (labels, 1, trainer_data.LABELS_HEADER),
            )
        ]
        examples = tf.data.Dataset.zip(tuple(records)).skip(trainer_data.MNIST_VALIDATION)
    else:
        digits = trainer_data.read_data_sets().train
        examples = tf.data.Dataset.from_tensor_slices((digits.images, digits.labels))

    def decode(images: tf.Tensor, labels: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        images = tf.cast(tf.io.decode_raw(images, tf.uint8), tf.float32) / 255.0
        labels = tf.one_hot(tf.reshape(tf.io.decode_raw(labels, tf.uint8), [-1]), 10)
        return tf.ensure_shape(images, [batch_size, IMAGE_PIXELS * IMAGE_PIXELS]), labels

    own = examples.shard(context.num_input_pipelines, context.input_pipeline_id)
    shuffled = own.shuffle(60_000, seed).repeat()
    replicas = context.num_replicas_in_sync // context.num_input_pipelines
    batches = shuffled.skip(first * replicas * batch_size).batch(batch_size, drop_remainder=True)
    batches = batches.map(decode, tf.data.AUTOTUNE) if data_dir else batches
    endless = tf.data.experimental.assert_cardinality(tf.data.INFINITE_CARDINALITY)
    return batches.apply(endless).prefetch(tf.data.AUTOTUNE)

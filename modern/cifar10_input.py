"""The batches of cifar10_mirrored.py, as tf.data: the digits, or the binary files of CIFAR-10."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import devices
import numpy as np
import tensorflow as tf
import trainer_data

CROP = trainer_data.IMAGE_SIZE


def examples(data_dir: str, split: str) -> tuple[tf.data.Dataset, int]:
    """Images uint8 [32, 32, 3] with their labels int32, and how many there are."""
    if not data_dir:
        images, labels = trainer_data.load_digits(split)
        return tf.data.Dataset.from_tensor_slices((images, labels)), len(labels)
    files = [str(path) for path in trainer_data.find_cifar10(data_dir, split)]

    def decode(record: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        content = tf.io.decode_raw(record, tf.uint8)  # a label, then three planes
        return tf.transpose(tf.reshape(content[1:], [3, 32, 32]), [1, 2, 0]), tf.cast(content[0], tf.int32)

    records = tf.data.FixedLengthRecordDataset(files, trainer_data.RECORD_BYTES)
    return records.map(decode, tf.data.AUTOTUNE).cache(), len(files) * trainer_data.RECORDS_PER_FILE


def standardized(images: tf.Tensor, labels: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """The middle of each image, float32 [n, 24, 24, 3]."""
    images = tf.image.resize_with_crop_or_pad(images, CROP, CROP)
    return tf.image.per_image_standardization(tf.cast(images, tf.float32)), labels


def distorted(image: tf.Tensor, label: tf.Tensor, seed: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """TF1: distorted_inputs. The same seed gives the same distortion, in whatever thread."""
    image = tf.image.stateless_random_crop(tf.cast(image, tf.float32), [CROP, CROP, 3], seed)
    image = tf.image.stateless_random_flip_left_right(image, seed + 1)
    image = tf.image.stateless_random_brightness(image, 63.0, seed + 2)
    image = tf.image.stateless_random_contrast(image, 0.2, 1.8, seed + 3)
    return tf.image.per_image_standardization(image), label


def split_sizes(split_by_speed: str, batch_size: int, replicas: int) -> list[int]:
    """How many images each replica takes: in proportion to the speeds, or equally."""
    if not split_by_speed:
        return [batch_size] * replicas
    speeds = [float(speed) for speed in split_by_speed.split(",")]
    if len(speeds) != replicas or min(speeds) <= 0:
        raise ValueError(f"--split_by_speed={split_by_speed}: need {replicas} positive numbers")
    bounds = np.rint(np.cumsum([0.0, *speeds]) / sum(speeds) * batch_size * replicas).astype(int)
    sizes = [int(size) for size in np.diff(bounds)]
    if min(sizes) < 1:
        raise ValueError(f"--split_by_speed={split_by_speed} leaves a replica without images: {sizes}")
    return sizes


def training_batches(
    strategy: tf.distribute.Strategy, data_dir: str, sizes: list[int], seed: int, first: int, distort: bool
) -> Iterator[tuple[Any, Any]]:
    """TF1: iterator.get_next() and tf.split. Each replica's part of each batch, from step `first` on, without end.

    Each epoch has an order of its own, all by the seed: a run that is resumed sees what it would have seen.
    """
    images, number = examples(data_dir, "train")
    whole = sum(sizes)
    if number < whole:
        raise trainer_data.DataError(f"{number} images are less than one batch of {whole}")

    def dataset(context: tf.distribute.InputContext) -> tf.data.Dataset:
        endless = images.shuffle(number, seed).take(number // whole * whole).repeat()  # full batches only
        endless = endless.skip(first * whole)
        endless = endless.enumerate(first * whole) if distort else endless
        # One element is one replica's part. Replicas take them in turn, and so do pipelines
        parts = endless.batch(whole, drop_remainder=True).rebatch(sizes)
        parts = parts.shard(context.num_input_pipelines, context.input_pipeline_id)
        if distort:
            own = sizes[context.input_pipeline_id :: context.num_input_pipelines]
            single = parts.unbatch().map(
                lambda n, example: distorted(*example, tf.stack([seed, n])), tf.data.AUTOTUNE
            )
            parts = single.batch(sum(own), drop_remainder=True).rebatch(own)
        else:
            parts = parts.map(standardized, tf.data.AUTOTUNE)
        parts = parts.apply(tf.data.experimental.assert_cardinality(tf.data.INFINITE_CARDINALITY))
        return parts.prefetch(tf.data.AUTOTUNE)

    options = devices.input_options(strategy)
    return iter(strategy.distribute_datasets_from_function(dataset, options))

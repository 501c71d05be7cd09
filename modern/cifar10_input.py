"""The batches of cifar10_mirrored.py, as tf.data: the digits, or the binary files of CIFAR-10."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import devices
import digits
import tensorflow as tf

CROP = 24  # what the network takes of an image of 32 x 32
RECORD = 1 + 3 * 32 * 32  # bytes: a label, then three planes
FILES = {"train": [f"data_batch_{number}.bin" for number in range(1, 6)], "test": ["test_batch.bin"]}


def examples(data_dir: str, split: str) -> tuple[tf.data.Dataset, int]:
    """Images uint8 [32, 32, 3] with their labels int32, and how many there are."""
    if not data_dir:
        images, labels = digits.load(split)
        return tf.data.Dataset.from_tensor_slices((images, labels)), len(labels)
    paths = [Path(data_dir, name) for name in FILES[split]]
    if wrong := [path for path in paths if not path.is_file() or path.stat().st_size % RECORD]:
        raise SystemExit(f"{wrong[0]} is missing or damaged: the binary version of CIFAR-10 is needed")

    def decode(record: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        content = tf.io.decode_raw(record, tf.uint8)
        return tf.transpose(tf.reshape(content[1:], [3, 32, 32]), [1, 2, 0]), tf.cast(content[0], tf.int32)

    records = tf.data.FixedLengthRecordDataset([str(path) for path in paths], RECORD)
    number = sum(path.stat().st_size for path in paths) // RECORD
    return records.map(decode, tf.data.AUTOTUNE).cache(), number


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


def training_batches(
    strategy: tf.distribute.Strategy, data_dir: str, batch_size: int, seed: int, first: int, distort: bool
) -> Iterator[Any]:
    """TF1: iterator.get_next() and tf.split. Each replica's part of each batch, from step `first` on, without end.

    An epoch's seed makes its order: a run that goes on sees what it would have seen, and goes through no other epoch.
    """
    images, number = examples(data_dir, "train")
    whole = batch_size * strategy.num_replicas_in_sync
    if not (steps := number // whole):
        raise SystemExit(f"{number} images are less than one batch of {whole}")

    def in_order(epoch: tf.Tensor) -> tf.data.Dataset:
        return images.shuffle(number, seed + epoch, reshuffle_each_iteration=False).take(steps * whole)

    def dataset(context: tf.distribute.InputContext) -> tf.data.Dataset:
        endless = tf.data.Dataset.counter(first // steps).flat_map(in_order).skip(first % steps * whole)
        # an element is one replica's part: replicas take them in turn, and so do pipelines
        parts = endless.enumerate(tf.cast(first * whole, tf.int64)).batch(batch_size, drop_remainder=True)
        parts = parts.shard(context.num_input_pipelines, context.input_pipeline_id)
        if distort:
            single = parts.unbatch().map(
                lambda n, one: distorted(*one, tf.stack([seed, n])), tf.data.AUTOTUNE
            )
            parts = single.batch(batch_size, drop_remainder=True)
        else:
            parts = parts.map(lambda _, part: standardized(*part), tf.data.AUTOTUNE)
        endless = tf.data.experimental.assert_cardinality(tf.data.INFINITE_CARDINALITY)
        return parts.apply(endless).prefetch(tf.data.AUTOTUNE)

    return iter(strategy.distribute_datasets_from_function(dataset, devices.input_options(strategy)))

"""The batches of cifar10_mirrored.py: the digits, or the binary files of CIFAR-10."""

from pathlib import Path
from typing import Any

import devices
import digits
import numpy as np
import tensorflow as tf


def load(data_dir: str, split: str) -> tuple[np.ndarray, np.ndarray]:
    """Images uint8 [n, 32, 32, 3] and labels int32 [n]."""
    if not data_dir:
        return digits.load(split)
    names = [f"data_batch_{number}" for number in range(1, 6)] if split == "train" else ["test_batch"]
    paths = [Path(data_dir, f"{name}.bin") for name in names]
    if wrong := [path for path in paths if not path.is_file() or path.stat().st_size % 3073]:
        raise SystemExit(f"{wrong[0]} is missing or damaged: the binary version of CIFAR-10 is needed")
    records = np.concatenate([np.fromfile(path, np.uint8).reshape(-1, 3073) for path in paths])
    planes = records[:, 1:].reshape(-1, 3, 32, 32)  # after the label
    return planes.transpose(0, 2, 3, 1), records[:, 0].astype(np.int32)


def standardized(images: tf.Tensor, labels: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """The middle of each image, float32 [n, 24, 24, 3]."""
    images = tf.image.resize_with_crop_or_pad(images, 24, 24)
    return tf.image.per_image_standardization(tf.cast(images, tf.float32)), labels


def distorted(image: tf.Tensor, place: tf.Tensor, seed: int) -> tf.Tensor:
    """TF1: distorted_inputs. The distortion follows from the image's place in the training and the seed."""
    seed = tf.stack([seed, place])
    image = tf.image.stateless_random_crop(tf.cast(image, tf.float32), [24, 24, 3], seed)
    image = tf.image.stateless_random_flip_left_right(image, seed + 1)
    image = tf.image.stateless_random_brightness(image, 63.0, seed + 2)
    image = tf.image.stateless_random_contrast(image, 0.2, 1.8, seed + 3)
    return tf.image.per_image_standardization(image)


def training_batches(
    strategy: tf.distribute.Strategy, arrays: Any, batch_size: int, seed: int, first: int, distort: bool
) -> Any:
    """TF1: iterator.get_next(), tf.split. Each replica's parts from step `first` on; an epoch's number is its seed."""
    images, labels = (tf.constant(array) for array in arrays)
    number, whole = len(labels), batch_size * strategy.num_replicas_in_sync
    if not (steps := number // whole):
        raise SystemExit(f"{number} images are less than one batch of {whole}")

    def order(epoch: tf.Tensor) -> tf.data.Dataset:
        rows = tf.random.experimental.stateless_shuffle(tf.range(number), tf.stack([seed, epoch]))
        return tf.data.Dataset.from_tensor_slices(rows[: steps * whole])

    def read(places: tf.Tensor, rows: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        chosen, own = tf.gather(images, rows), tf.gather(labels, rows)
        if not distort:
            return standardized(chosen, own)
        return tf.map_fn(
            lambda of: distorted(*of, seed), (chosen, places), fn_output_signature=tf.float32
        ), own

    def dataset(context: tf.distribute.InputContext) -> tf.data.Dataset:
        rows = tf.data.Dataset.counter(first // steps).flat_map(order).skip(first % steps * whole)
        examples = rows.repeat().enumerate(first * whole)  # repeat() says that there is no end
        # an element is one replica's part: replicas take them in turn, and so do pipelines
        parts = examples.batch(batch_size, drop_remainder=True)
        parts = parts.shard(context.num_input_pipelines, context.input_pipeline_id)
        return parts.map(read, tf.data.AUTOTUNE).prefetch(tf.data.AUTOTUNE)

    return iter(strategy.distribute_datasets_from_function(dataset, devices.input_options(strategy)))

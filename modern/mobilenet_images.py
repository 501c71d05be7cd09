"""Labelled images for MobileNetV2, as tf.data: the digits, TensorFlow Datasets, or a folder of JPEG files."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any, NamedTuple

import devices
import digits
import tensorflow as tf

JPEG = (".jpg", ".jpeg")


class Images(NamedTuple):
    """Images uint8 of any height and width, or the names of their files, each with the number of its class."""

    train: tf.data.Dataset
    number: int
    classes: int
    validation: tf.data.Dataset
    buffer: int = 1024  # of the shuffle
    shift: int = 0  # pixels by which images are moved at random in training


def load(name: str, data_dir: str = "", part: float = 0.0, most: int = 0) -> Images:
    """The digits, a data set of TensorFlow Datasets, or the JPEG files under `data_dir`, where that is given.

    The digits have other images to evaluate on. Of the others the last `part` is kept for it. Where `most` is given,
    at most so many are trained on. If they are not there, ends the process with a sentence.
    """
    held, buffer, shift = None, 1024, 0
    if data_dir:  # listed class by class: all names are shuffled, before a file is read
        kinds = sorted(path for path in Path(data_dir).glob("*") if path.is_dir())
        paths = [path for kind in kinds for path in sorted(kind.glob("*")) if path.suffix.lower() in JPEG]
        files = [path for path in paths if path.open("rb").read(2) == b"\xff\xd8"]
        if not files:
            raise SystemExit(
                f"{data_dir}: need a folder of JPEG files for each class, found {len(kinds)} folders"
            )
        if strange := len(paths) - len(files):
            print(f"left out {strange} files that are not JPEG inside")
        labels = [kinds.index(path.parent) for path in files]
        images = tf.data.Dataset.from_tensor_slices(([str(path) for path in files], labels))
        classes, buffer = len(kinds), len(files)
        images = images.shuffle(buffer, seed=0, reshuffle_each_iteration=False) if part or most else images
    elif name == "digits":
        images, held = (tf.data.Dataset.from_tensor_slices(digits.load(split)) for split in ("train", "test"))
        classes, shift = 10, 2
    else:
        try:
            import tensorflow_datasets as tfds
        except ImportError:
            ways = "`pip install tensorflow-datasets`, or name a folder of JPEG files by --data_dir"
            raise SystemExit(f"{name} comes with TensorFlow Datasets: {ways}") from None
        images, info = tfds.load(name, split="train", as_supervised=True, with_info=True)
        classes = info.features["label"].num_classes
    number = int(images.cardinality())
    rest = number if held else number - int(number * part)
    trained = min(rest, most or rest)
    return Images(images.take(trained), trained, classes, held or images.skip(rest), buffer, shift)


def batched(images: tf.data.Dataset, size: int, batch_size: int, full: bool = False) -> tf.data.Dataset:
    """Batches float32 [batch_size, size, size, 3] from 0 to 1, with labels. The last one may be less, unless `full`."""

    def read(image: tf.Tensor, label: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        if image.dtype == tf.string:
            image = tf.io.decode_jpeg(tf.io.read_file(image), channels=3)
        return tf.image.resize(tf.cast(image, tf.float32), [size, size]) / 255.0, label

    return images.map(read, tf.data.AUTOTUNE).batch(batch_size, full).prefetch(tf.data.AUTOTUNE)


def steps_of(images: Images, batch_size: int) -> int:
    """The steps of an epoch."""
    if images.number < batch_size:
        raise SystemExit(f"{images.number} images are less than one batch of {batch_size}")
    return images.number // batch_size


def batches(
    images: Images, size: int, batch_size: int, epochs: int, seed: int, first: int = 0
) -> tf.data.Dataset:
    """The batches of all epochs from step `first` on, all of them full. An epoch's seed makes its order."""
    steps = steps_of(images, batch_size)

    def epoch(number: int) -> tf.data.Dataset:
        shuffled = images.train.shuffle(images.buffer, seed + number, reshuffle_each_iteration=False)
        return shuffled.take(steps * batch_size)

    def moved(place: tf.Tensor, example: tuple[tf.Tensor, tf.Tensor]) -> tuple[tf.Tensor, tf.Tensor]:
        image, label = example
        wider = tf.pad(image, [[images.shift] * 2, [images.shift] * 2, [0, 0]])
        return tf.image.stateless_random_crop(wider, image.shape, tf.stack([seed, place])), label

    done, begun = divmod(first, steps)
    every = functools.reduce(tf.data.Dataset.concatenate, map(epoch, range(done, epochs)))
    every = every.skip(begun * batch_size)
    if images.shift:
        every = every.enumerate(first * batch_size).map(moved, tf.data.AUTOTUNE)
    return batched(every, size, batch_size, full=True)


def cut(batches: tf.data.Dataset, strategy: tf.distribute.Strategy) -> Any:
    """Each batch is cut into equal parts, one for each replica, and each part comes to its replica's device."""
    replicas = strategy.num_replicas_in_sync

    def stacked(*batch: tf.Tensor) -> tuple[tf.Tensor, ...]:
        return tuple(tf.reshape(part, [replicas, -1, *part.shape[1:]]) for part in batch)

    def own_parts(context: tf.distribute.InputContext) -> tf.data.Dataset:
        parts = batches.map(stacked).unbatch()  # a replica's first, then the next one's
        return parts.shard(context.num_input_pipelines, context.input_pipeline_id)

    return strategy.distribute_datasets_from_function(own_parts, devices.input_options(strategy))

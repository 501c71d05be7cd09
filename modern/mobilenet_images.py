"""Labelled images for MobileNetV2, as tf.data: the digits, TensorFlow Datasets, or a folder of JPEG files."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any, NamedTuple

import devices
import tensorflow as tf
import trainer_data

JPEG_START = b"\xff\xd8"


class Images(NamedTuple):
    """Images uint8 of any height and width, or the names of their files, each with the number of its class."""

    train: tf.data.Dataset
    number: int
    classes: int
    validation: tf.data.Dataset
    buffer: int = 1024  # of the shuffle


def load(name: str, data_dir: str = "", part: float = 0.0, most: int = 0) -> Images:
    """The digits, a data set of TensorFlow Datasets, or the JPEG files under `data_dir`, where that is given.

    The digits have other images to evaluate on. Of the others the last `part` is kept for it. Where `most` is given,
    at most so many are trained on.

    Raises:
        DataError: they are not there.
    """
    buffer, held = 1024, None
    if data_dir:
        names, labels, classes = list_jpegs(Path(data_dir))
        images, number = tf.data.Dataset.from_tensor_slices((names, labels)), len(names)
        buffer = number  # they are listed class by class
        if part or most:  # of each class some
            images = images.shuffle(number, seed=0, reshuffle_each_iteration=False)
    elif name == "digits":
        images = tf.data.Dataset.from_tensor_slices(trainer_data.load_digits())
        held = tf.data.Dataset.from_tensor_slices(trainer_data.load_digits("test"))
        number, classes = int(images.cardinality()), trainer_data.NUM_CLASSES
    else:
        images, classes = load_tfds(name)
        number = int(images.cardinality())
    rest = number if held else number - int(number * part)
    trained = min(rest, most or rest)
    return Images(images.take(trained), trained, classes, held or images.skip(rest), buffer)


def load_tfds(name: str) -> tuple[tf.data.Dataset, int]:
    """The training split of a data set, which is downloaded the first time, and the number of classes."""
    try:
        import tensorflow_datasets as tfds
    except ImportError as error:
        ways = "`pip install tensorflow-datasets`, or name a folder of JPEG files by --data-dir"
        raise trainer_data.DataError(f"{name} comes with TensorFlow Datasets: {ways}") from error
    try:
        dataset, info = tfds.load(name, split="train", as_supervised=True, with_info=True)
    except tfds.core.registered.DatasetNotFoundError as error:
        raise trainer_data.DataError(f"TensorFlow Datasets has no {name!r}") from error
    except (OSError, tfds.download.DownloadError) as error:
        raise trainer_data.DataError(f"{name} cannot be downloaded: {error}") from error
    return dataset, info.features["label"].num_classes


def list_jpegs(folder: Path) -> tuple[list[str], list[int], int]:
    """The JPEG files in the folder's folders, the number of each one's folder, and how many folders there are."""
    if not folder.is_dir():
        raise trainer_data.DataError(f"{folder} is not a directory")
    kinds = sorted(path for path in folder.iterdir() if path.is_dir())
    files: list[Path] = []
    strange: list[Path] = []
    for path in sorted(folder.glob("*/*")):
        if path.suffix.lower() in (".jpg", ".jpeg"):
            with path.open("rb") as file:
                (files if file.read(2) == JPEG_START else strange).append(path)
    if strange:
        print(f"left out {len(strange)} files that are not JPEG inside, the first is {strange[0]}")
    if not files:
        found = f"found {len(kinds)} folders"
        raise trainer_data.DataError(f"{folder}: need a folder of JPEG files for each class, {found}")
    return [str(path) for path in files], [kinds.index(path.parent) for path in files], len(kinds)


def batched(images: tf.data.Dataset, size: int, batch_size: int, full: bool = False) -> tf.data.Dataset:
    """Batches float32 [batch_size, size, size, 3] from 0 to 1, with labels. The last one may be less, unless `full`."""

    def read(image: tf.Tensor, label: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        if image.dtype == tf.string:
            image = tf.io.decode_jpeg(tf.io.read_file(image), channels=3)
        return tf.image.resize(tf.cast(image, tf.float32), [size, size]) / 255.0, label

    return images.map(read, tf.data.AUTOTUNE).batch(batch_size, full).prefetch(tf.data.AUTOTUNE)


def batches(
    images: Images, size: int, batch_size: int, epochs: int, seed: int, first: int = 0
) -> tf.data.Dataset:
    """All epochs from `first` on, one after the other. The last images of an epoch, less than a batch, are left out.

    An epoch's order follows from the seed and its number alone, so a training that goes on has the same one.
    """
    if images.number < batch_size:
        raise trainer_data.DataError(f"{images.number} images are less than one batch of {batch_size}")

    def epoch(number: int) -> tf.data.Dataset:
        shuffled = images.train.shuffle(images.buffer, seed + number, reshuffle_each_iteration=False)
        return shuffled.take(images.number // batch_size * batch_size)

    all_epochs = functools.reduce(tf.data.Dataset.concatenate, map(epoch, range(first, epochs)))
    return batched(all_epochs, size, batch_size, full=True)


def cut(batches: tf.data.Dataset, strategy: tf.distribute.Strategy) -> Any:
    """Each batch is cut into equal parts, one for each replica, and each part comes to its replica's device."""
    replicas = strategy.num_replicas_in_sync

    def stacked(*batch: tf.Tensor) -> tuple[tf.Tensor, ...]:
        return tuple(tf.reshape(part, [replicas, -1, *part.shape[1:]]) for part in batch)

    def own_parts(context: tf.distribute.InputContext) -> tf.data.Dataset:
        parts = batches.map(stacked).unbatch()  # a replica's first, then the next one's
        return parts.shard(context.num_input_pipelines, context.input_pipeline_id)

    return strategy.distribute_datasets_from_function(own_parts, devices.input_options(strategy))

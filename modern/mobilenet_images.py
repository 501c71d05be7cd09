"""Labelled images for MobileNetV2, as tf.data: the digits, TensorFlow Datasets, or a folder of JPEG files."""

from __future__ import annotations

import functools
import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import devices
import numpy as np
import tensorflow as tf
import trainer_data

JPEG_START = b"\xff\xd8"


class Images(NamedTuple):
    """Images uint8 of any height and width with the number of their class, and others to evaluate on, if any.

    Elements that are to be shuffled are file names where the images are in files; `read` makes images of them.
    """

    dataset: tf.data.Dataset
    number: int
    classes: int
    validation: tf.data.Dataset | None = None
    buffer: int = 1024  # of the shuffle
    read: Callable[[Any, Any], tuple[Any, Any]] = lambda image, label: (image, label)


def load(name: str, data_dir: str = "", part: float = 0.0) -> Images:
    """The digits, a data set of TensorFlow Datasets, or where `data_dir` is given the JPEG files under it.

    Of the latter two so large a part, the last one, is kept for evaluation.

    Raises:
        DataError: they are not there.
    """
    if data_dir:
        return load_jpegs(Path(data_dir), part)
    if name != "digits":
        return load_tfds(name, part)
    images, labels = trainer_data.load_digits()
    test = tf.data.Dataset.from_tensor_slices(trainer_data.load_digits("test"))
    dataset = tf.data.Dataset.from_tensor_slices((images, labels))
    return Images(dataset, len(images), trainer_data.NUM_CLASSES, test)


def load_tfds(name: str, part: float = 0.0) -> Images:
    """The training split of a data set; it is downloaded the first time."""
    if importlib.util.find_spec("tensorflow_datasets") is None:
        raise trainer_data.DataError(
            f"{name} comes with TensorFlow Datasets: `pip install tensorflow-datasets`, "
            "or name a folder of JPEG files by --data-dir"
        )
    import tensorflow_datasets as tfds

    try:
        dataset, info = tfds.load(name, split="train", as_supervised=True, with_info=True)
    except tfds.core.registered.DatasetNotFoundError as error:
        raise trainer_data.DataError(f"TensorFlow Datasets has no {name!r}") from error
    except (OSError, tfds.download.DownloadError) as error:
        raise trainer_data.DataError(f"{name} cannot be downloaded: {error}") from error
    number = int(dataset.cardinality())
    kept, classes = int(number * part), info.features["label"].num_classes
    held = dataset.skip(number - kept) if kept else None
    return Images(dataset.take(number - kept), number - kept, classes, held)


def load_jpegs(folder: Path, part: float = 0.0) -> Images:
    """A folder for each class with its JPEG files in it. Files that are not JPEG inside are said and left out."""
    if not folder.is_dir():
        raise trainer_data.DataError(f"{folder} is not a directory")
    classes = sorted(path for path in folder.iterdir() if path.is_dir())
    names, labels, strange = [], [], []
    for label, kind in enumerate(classes):
        for path in sorted(kind.iterdir()):
            if path.suffix.lower() not in (".jpg", ".jpeg"):
                continue
            with path.open("rb") as file:
                if file.read(2) == JPEG_START:
                    names.append(str(path))
                    labels.append(label)
                else:
                    strange.append(path)
    if strange:
        print(f"left out {len(strange)} files that are not JPEG inside, the first is {strange[0]}")
    if not names:
        raise trainer_data.DataError(
            f"{folder}: need a folder of JPEG files for each class, found {len(classes)} folders"
        )

    def read(name: tf.Tensor, label: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        return tf.io.decode_jpeg(tf.io.read_file(name), channels=3), label

    files = tf.data.Dataset.from_tensor_slices((names, np.array(labels, np.int32)))
    kept, number = int(len(names) * part), len(names)
    held = None
    if kept:  # they are listed class by class; some of each class are held out
        files = files.shuffle(number, seed=0, reshuffle_each_iteration=False)
        held = files.skip(number - kept).map(read, tf.data.AUTOTUNE)
        files = files.take(number - kept)
    # all names are shuffled, and before any file is read
    return Images(files, number - kept, len(classes), held, buffer=number, read=read)


def resize(size: int) -> Callable[[Any, Any], tuple[Any, Any]]:
    """A function that makes an image float32 [size, size, 3], from 0 to 1."""
    return lambda image, label: (tf.image.resize(tf.cast(image, tf.float32), [size, size]) / 255.0, label)


def batches(images: Images, size: int, batch_size: int, epochs: int, seed: int) -> tf.data.Dataset:
    """All epochs one after the other: float32 [batch_size, size, size, 3] from 0 to 1, and labels.

    Each epoch has an order of its own, that follows from the seed and the epoch alone. Every batch is full: of the
    last images a replica might get none, and the batch norm of none is not a number.
    """
    if images.number < batch_size:
        raise trainer_data.DataError(f"{images.number} images are less than one batch of {batch_size}")

    def epoch_of(number: int) -> tf.data.Dataset:
        # not reshuffled: `fit` reads the first batch once before it begins, and gets the same again then
        epoch = images.dataset.shuffle(images.buffer, seed + number, reshuffle_each_iteration=False)
        epoch = epoch.map(images.read, tf.data.AUTOTUNE).map(resize(size), tf.data.AUTOTUNE)
        return epoch.batch(batch_size, drop_remainder=True)

    whole = functools.reduce(tf.data.Dataset.concatenate, map(epoch_of, range(epochs)))
    return whole.prefetch(tf.data.AUTOTUNE)


def cut(batches: tf.data.Dataset, batch_size: int, strategy: tf.distribute.Strategy) -> Any:
    """2: cuts each batch into one part for each device, and sends each part to its device."""
    sizes = [len(part) for part in np.array_split(np.arange(batch_size), strategy.num_replicas_in_sync)]

    def own_parts(context: tf.distribute.InputContext) -> tf.data.Dataset:
        return batches.rebatch(sizes).shard(context.num_input_pipelines, context.input_pipeline_id)

    return strategy.distribute_datasets_from_function(own_parts, devices.input_options(strategy))


def cut_equally(
    images: tf.data.Dataset, batch_size: int, strategy: tf.distribute.Strategy
) -> tuple[Any, int]:
    """Repeated batches to evaluate on, with equal parts for all devices, and the number of steps in one pass.

    The last few images may be left out: a part without images is an error. Keras 2 needs the number of steps.
    """
    replicas = strategy.num_replicas_in_sync
    each, size = int(images.cardinality()) // replicas, max(1, batch_size // replicas)
    images = images.take(each * replicas)

    def own_parts(context: tf.distribute.InputContext) -> tf.data.Dataset:
        own = range(context.input_pipeline_id, replicas, context.num_input_pipelines)
        parts = [images.shard(replicas, number).batch(size).repeat() for number in own]
        in_turn = tf.data.Dataset.range(len(parts)).repeat()
        return parts[0] if len(parts) == 1 else tf.data.Dataset.choose_from_datasets(parts, in_turn)

    return strategy.distribute_datasets_from_function(own_parts, devices.input_options(strategy)), -(
        -each // size
    )

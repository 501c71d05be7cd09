"""Labelled images for MobileNetV2, as tf.data: the digits, TensorFlow Datasets, or a folder of JPEG files."""

from __future__ import annotations

import functools
import importlib.util
from pathlib import Path
from typing import NamedTuple

import numpy as np
import tensorflow as tf

from tf2towers import data

JPEG_START = b"\xff\xd8"


class Images(NamedTuple):
    """Images as they come: uint8 of any height and width, with the number of their class."""

    dataset: tf.data.Dataset
    number: int
    classes: int


def load(name: str, data_dir: str = "") -> Images:
    """The digits, a data set of TensorFlow Datasets, or where `data_dir` is given the JPEG files under it.

    Raises:
        DataError: they are not there.
    """
    if data_dir:
        return load_jpegs(Path(data_dir))
    if name != "digits":
        return load_tfds(name)
    images, labels = data.load_digits()
    return Images(tf.data.Dataset.from_tensor_slices((images, labels)), len(images), data.NUM_CLASSES)


def load_tfds(name: str) -> Images:
    """The training split of a data set; it is downloaded the first time."""
    if importlib.util.find_spec("tensorflow_datasets") is None:
        raise data.DataError(
            f"{name} comes with TensorFlow Datasets: `pip install tensorflow-datasets`, "
            "or name a folder of JPEG files by --data-dir"
        )
    import tensorflow_datasets as tfds

    try:
        dataset, info = tfds.load(name, split="train", as_supervised=True, with_info=True)
    except tfds.core.registered.DatasetNotFoundError as error:
        raise data.DataError(f"TensorFlow Datasets has no {name!r}") from error
    except (OSError, tfds.download.DownloadError) as error:
        raise data.DataError(f"{name} cannot be downloaded: {error}") from error
    return Images(dataset, int(dataset.cardinality()), info.features["label"].num_classes)


def load_jpegs(folder: Path) -> Images:
    """A folder for each class with its JPEG files in it. Files that are not JPEG inside are told and left out."""
    if not folder.is_dir():
        raise data.DataError(f"{folder} is not a directory")
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
        raise data.DataError(
            f"{folder}: need a folder of JPEG files for each class, found {len(classes)} folders"
        )

    def read(name: tf.Tensor, label: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        return tf.io.decode_jpeg(tf.io.read_file(name), channels=3), label

    dataset = tf.data.Dataset.from_tensor_slices((names, np.array(labels, np.int32)))
    return Images(dataset.map(read, num_parallel_calls=tf.data.AUTOTUNE), len(names), len(classes))


def batches(images: Images, size: int, batch_size: int, epochs: int, seed: int) -> tf.data.Dataset:
    """All epochs one after the other: float32 [batch_size, size, size, 3] from 0 to 1, and labels.

    Each epoch has an order of its own, that follows from the seed and the epoch alone. Every batch is full: of the
    last images a replica might get none, and the batch norm of none is not a number.
    """
    if images.number < batch_size:
        raise data.DataError(f"{images.number} images are less than one batch of {batch_size}")

    def resize(image: tf.Tensor, label: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        return tf.image.resize(tf.cast(image, tf.float32), [size, size]) / 255.0, label

    resized = images.dataset.map(resize, num_parallel_calls=tf.data.AUTOTUNE)
    # not reshuffled: `fit` takes a look at the first batch before it begins, and has the same again then
    shuffled = (
        resized.shuffle(1024, seed + epoch, reshuffle_each_iteration=False) for epoch in range(epochs)
    )
    full = (epoch.batch(batch_size, drop_remainder=True) for epoch in shuffled)
    return functools.reduce(tf.data.Dataset.concatenate, full).prefetch(tf.data.AUTOTUNE)

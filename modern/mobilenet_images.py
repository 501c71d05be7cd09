"""Labelled images for MobileNetV2, as tf.data: the digits, TensorFlow Datasets, or a folder of JPEG files."""

import functools
from pathlib import Path
from typing import NamedTuple

import digits
import tensorflow as tf


class Images(NamedTuple):
    """Images uint8 of any height and width, or the names of their files, each with the number of its class."""

    train: tf.data.Dataset
    validation: tf.data.Dataset
    classes: int
    shift: int = 0  # pixels by which images are moved at random in training


def load(name: str, data_dir: str = "", part: float = 0.0, most: int = 0) -> Images:
    """The digits, a data set of TensorFlow Datasets, or the JPEG files of the folders in `data_dir`.

    The digits have other images to evaluate on. Of the others the last `part` is kept for it.
    """
    if name == "digits" and not data_dir:
        images, held = (tf.data.Dataset.from_tensor_slices(digits.load(split)) for split in ("train", "test"))
        return Images(images.take(most or len(images)), held, classes=10, shift=2)
    if data_dir:  # listed class by class: all names are shuffled, before a file is read
        kinds = sorted(path for path in Path(data_dir).glob("*") if path.is_dir())
        paths = [path for kind in kinds for path in sorted(kind.glob("*.[jJ][pP]*[gG]"))]
        files = [path for path in paths if path.open("rb").read(2) == b"\xff\xd8"]
        if not files:
            raise SystemExit(f"{data_dir}: no JPEG file in its {len(kinds)} folders, one for each class")
        print(f"{len(files)} JPEG files; left out {len(paths) - len(files)} that are not JPEG inside")
        labels = [kinds.index(path.parent) for path in files]
        images = tf.data.Dataset.from_tensor_slices(([str(path) for path in files], labels))
        images, classes = images.shuffle(len(files), seed=0, reshuffle_each_iteration=False), len(kinds)
    else:
        try:
            import tensorflow_datasets as tfds
        except ImportError:
            ways = "`pip install tensorflow-datasets`, or name a folder of JPEG files by --data_dir"
            raise SystemExit(f"{name} comes with TensorFlow Datasets: {ways}") from None
        images, info = tfds.load(name, split="train", as_supervised=True, with_info=True)
        classes = info.features["label"].num_classes
    rest = len(images) - int(len(images) * part)
    return Images(images.take(min(rest, most or rest)), images.skip(rest), classes)


def batched(images: tf.data.Dataset, size: int, batch_size: int) -> tf.data.Dataset:
    """Batches float32 [batch_size, size, size, 3] from 0 to 1, with labels; the last one may be less."""

    def read(image: tf.Tensor, label: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        if image.dtype == tf.string:
            image = tf.io.decode_jpeg(tf.io.read_file(image), channels=3)
        return tf.image.resize(tf.cast(image, tf.float32), [size, size]) / 255.0, label

    return images.map(read, tf.data.AUTOTUNE).batch(batch_size).prefetch(tf.data.AUTOTUNE)


def batches(images: Images, size: int, batch_size: int, epochs: int, seed: int, made: int) -> tf.data.Dataset:
    """The batches of all epochs that follow after so many steps, all full. An epoch's seed makes its order."""
    steps = len(images.train) // batch_size
    done = min(made // steps, epochs - 1)

    def epoch(number: int) -> tf.data.Dataset:
        shuffled = images.train.shuffle(1024, seed + number, reshuffle_each_iteration=False)
        return shuffled.take(steps * batch_size)

    def moved(place: tf.Tensor, example: tuple[tf.Tensor, tf.Tensor]) -> tuple[tf.Tensor, tf.Tensor]:
        wider = tf.pad(example[0], [[images.shift] * 2, [images.shift] * 2, [0, 0]])
        return tf.image.stateless_random_crop(wider, example[0].shape, tf.stack([seed, place])), example[1]

    every = functools.reduce(tf.data.Dataset.concatenate, map(epoch, range(done, epochs)))
    every = every.skip(made % steps * batch_size)
    if images.shift:
        every = every.enumerate(made * batch_size).map(moved, tf.data.AUTOTUNE)
    return batched(every, size, batch_size)

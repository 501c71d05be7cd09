"""`tensorflow.examples.tutorials.mnist.input_data`, gone in TF2: MNIST from its idx files.

Batches are drawn as TF 1.15 drew them, with the same NumPy calls in the same order, so the same
seed gives the same batches. Nothing is ever downloaded: the files must be there.
"""

from __future__ import annotations

import gzip
import math
import os
import zlib
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

__all__ = [
    "DataSet", "Datasets", "dense_to_one_hot", "extract_images", "extract_labels", "load_dataset", "load_mnist",
    "maybe_download", "read_data_sets",
]  # fmt: skip

#: Where TF1 downloaded from; named in the error about missing files.
DEFAULT_SOURCE_URL = "https://storage.googleapis.com/cvdf-datasets/mnist/"

_FILES = (
    "train-images-idx3-ubyte.gz",
    "train-labels-idx1-ubyte.gz",
    "t10k-images-idx3-ubyte.gz",
    "t10k-labels-idx1-ubyte.gz",
)
_IMAGES_MAGIC, _LABELS_MAGIC = 2051, 2049


def extract_images(f: Any) -> np.ndarray:
    """The images of an idx3 file, gzipped or not.

    Args:
        f: a binary file object; its `name` is used in messages.

    Returns:
        uint8 [n, rows, columns, 1].

    Raises:
        ValueError: the file is not an idx3 file, is damaged, or is truncated.
    """
    (count, rows, columns), pixels = _read_idx(f, _IMAGES_MAGIC, "image", dimensions=3)
    return pixels.reshape(count, rows, columns, 1)


def extract_labels(f: Any, one_hot: bool = False, num_classes: int = 10) -> np.ndarray:
    """The labels of an idx1 file, gzipped or not.

    Args:
        f: a binary file object; its `name` is used in messages.
        one_hot: whether each label becomes a row of `num_classes`.
        num_classes: the length of a row.

    Returns:
        uint8 [n], or with `one_hot` float64 [n, num_classes].

    Raises:
        ValueError: the file is not an idx1 file, is damaged, is truncated, or has a label too large
            for `one_hot`.
    """
    _, labels = _read_idx(f, _LABELS_MAGIC, "label", dimensions=1)
    if not one_hot:
        return labels
    try:
        return dense_to_one_hot(labels, num_classes)
    except ValueError as error:
        raise ValueError(f"{getattr(f, 'name', 'the file')}: {error}") from error


def dense_to_one_hot(labels_dense: np.ndarray, num_classes: int) -> np.ndarray:
    """Class numbers, integers [n], as one-hot rows, float64 [n, num_classes].

    Raises:
        ValueError: a label is not in 0..num_classes-1. (TF1 wrote such a label into the next
            example's row.)
    """
    labels = labels_dense.ravel()
    wrong = np.flatnonzero((labels < 0) | (labels >= num_classes))
    if wrong.size:
        raise ValueError(
            f"label {labels[wrong[0]]} of example {wrong[0]} is not one of {num_classes} classes"
        )
    return np.eye(num_classes)[labels]


class DataSet:
    """Examples in memory, returned in shuffled batches.

    Args:
        images: uint8 [n, rows, columns, depth].
        labels: [n, ...].
        fake_data: whether `next_batch` returns constant examples; `images` and `labels` may then be
            anything.
        one_hot: whether the fake labels are one-hot.
        dtype: `tf.uint8` leaves pixels in 0..255, `tf.float32` brings them into 0..1.
        reshape: whether images become rows, [n, rows * columns]; depth must then be 1.
        seed: the seed of the shuffles; by default TensorFlow's global seed. NumPy's global
            generator is seeded with it here, or afresh without either: only a later call of
            `np.random.seed` has an effect.

    Raises:
        TypeError: `dtype` is neither uint8 nor float32.
        ValueError: images and labels differ in number, or `reshape` is given images whose depth is
            not 1.
    """

    def __init__(
        self,
        images: Any,
        labels: Any,
        fake_data: bool = False,
        one_hot: bool = False,
        dtype: Any = tf.float32,
        reshape: bool = True,
        seed: int | None = None,
    ) -> None:
        np.random.seed(_numpy_seed(seed))
        wanted = tf.as_dtype(dtype).base_dtype
        if wanted not in (tf.uint8, tf.float32):
            raise TypeError(f"Invalid image dtype {wanted!r}, expected uint8 or float32")
        self.one_hot, self._epochs_completed, self._index_in_epoch = one_hot, 0, 0
        self._images, self._labels, self._num_examples = images, labels, 10000  # of fake data
        if fake_data:
            return
        self._num_examples = images.shape[0]
        if labels.shape[0] != self._num_examples:
            raise ValueError(f"{images.shape[0]} images (shape {images.shape}), {labels.shape[0]} labels")
        if reshape:
            count, rows, columns, depth = images.shape
            if depth != 1:
                raise ValueError(f"images of shape {images.shape} cannot become rows: their depth is not 1")
            self._images = images.reshape(count, rows * columns)
        if wanted == tf.float32:
            self._images = np.multiply(self._images.astype(np.float32), 1.0 / 255.0)

    @property
    def images(self) -> Any:
        """The images, in the order of the epoch under way."""
        return self._images

    @property
    def labels(self) -> Any:
        """The labels, in the order of the images."""
        return self._labels

    @property
    def num_examples(self) -> int:
        """How many examples there are."""
        return int(self._num_examples)

    @property
    def epochs_completed(self) -> int:
        """How many times `next_batch` has gone past the last example."""
        return self._epochs_completed

    def next_batch(self, batch_size: int, fake_data: bool = False, shuffle: bool = True) -> Any:
        """The next `batch_size` examples: (images, labels).

        A batch at the end of an epoch is filled up from the next epoch; with `shuffle`, each epoch
        has its own order. With `fake_data`, the result is two lists of constants.
        """
        if fake_data:
            label = [1] + [0] * 9 if self.one_hot else 0
            return [[1] * 784 for _ in range(batch_size)], [label for _ in range(batch_size)]
        first = self._index_in_epoch
        missing = batch_size - (self._num_examples - first)  # of the next epoch
        if shuffle and (first, self._epochs_completed) == (0, 0):
            self._shuffle()
        if missing <= 0:
            self._index_in_epoch = first + batch_size
            return self._images[first : first + batch_size], self._labels[first : first + batch_size]
        rest = self._images[first:], self._labels[first:]
        self._epochs_completed += 1
        if shuffle:
            self._shuffle()
        self._index_in_epoch = missing
        parts = zip(rest, (self._images[:missing], self._labels[:missing]), strict=True)
        return tuple(np.concatenate(pair, axis=0) for pair in parts)

    def _shuffle(self) -> None:
        order = np.arange(self._num_examples)
        np.random.shuffle(order)
        self._images, self._labels = self._images[order], self._labels[order]


class Datasets(NamedTuple):
    """The three parts `read_data_sets` returns."""

    train: DataSet
    validation: DataSet
    test: DataSet


def read_data_sets(
    train_dir: str,
    fake_data: bool = False,
    one_hot: bool = False,
    dtype: Any = tf.float32,
    reshape: bool = True,
    validation_size: int = 5000,
    seed: int | None = None,
    source_url: str = DEFAULT_SOURCE_URL,
) -> Datasets:
    """MNIST (or a data set in its format) from the four idx files in `train_dir`, gzipped or not.

    Args:
        train_dir: the folder of the files; nothing is downloaded into it.
        fake_data: whether to return constant examples, without reading files.
        one_hot: labels as float64 [n, 10] in place of uint8 [n].
        dtype, reshape, seed: see `DataSet`.
        validation_size: how many of the first training images become the validation set.
        source_url: used only in the error about missing files.

    Raises:
        FileNotFoundError: files are missing; the message names them, where they were looked for,
            and where they are.
        ValueError: a file is damaged or truncated, or `validation_size` is out of range.
    """
    if fake_data:
        return Datasets(
            *(DataSet([], [], fake_data=True, one_hot=one_hot, dtype=dtype, seed=seed) for _ in range(3))
        )
    parts = []
    for place, path in enumerate(_find_files(train_dir, source_url or DEFAULT_SOURCE_URL)):
        with tf.io.gfile.GFile(path, "rb") as f:
            parts.append(extract_labels(f, one_hot) if place % 2 else extract_images(f))
    train_images, train_labels, test_images, test_labels = parts
    if not 0 <= validation_size <= len(train_images):
        raise ValueError(
            f"Validation size should be between 0 and {len(train_images)}. Received: {validation_size}."
        )
    options: dict[str, Any] = {"dtype": dtype, "reshape": reshape, "seed": seed}
    return Datasets(
        train=DataSet(train_images[validation_size:], train_labels[validation_size:], **options),
        validation=DataSet(train_images[:validation_size], train_labels[:validation_size], **options),
        test=DataSet(test_images, test_labels, **options),
    )


def load_mnist(train_dir: str = "MNIST-data") -> Datasets:
    """`read_data_sets` with its defaults."""
    return read_data_sets(train_dir)


def _numpy_seed(seed: int | None) -> int | None:
    """The seed that TF1 gave NumPy: `seed`, else the graph's (here the global) one, or None."""
    if seed is not None:
        return int(tf.compat.v1.get_seed(seed)[1])
    # get_seed(None) would use up one of eager mode's operation seeds; get_seed(0) does not, and
    # returns TensorFlow's default if no global seed is set.
    global_seed = tf.compat.v1.get_seed(0)[0]
    default = 87654321
    return int(global_seed) if global_seed != default else tf.compat.v1.get_seed(None)[0]


def _find_files(folder: str, source_url: str) -> list[str]:
    """The path of each of the four files, with or without '.gz'."""
    folder = os.fspath(folder)
    found: dict[str, str] = {}
    for name in _FILES:
        for candidate in (name.removesuffix(".gz"), name):
            path = os.path.join(folder, candidate)  # noqa: PTH118 - may be a gs:// address
            if tf.io.gfile.exists(path) and not tf.io.gfile.isdir(path):
                found[name] = path
    if missing := [name for name in _FILES if name not in found]:
        where = folder if "://" in folder else os.path.abspath(folder)  # noqa: PTH100
        there = "" if tf.io.gfile.isdir(folder) else " (there is no such folder)"
        raise FileNotFoundError(
            f"{len(missing)} of the 4 MNIST files are missing in {where}{there}: {', '.join(missing)}. "
            f"Unpacked files, without '.gz', are accepted, too. TF1 downloaded them from {source_url}; this function "
            "does not: download them yourself, or pass the folder that has them."
        )
    return list(found.values())


def _read_idx(f: Any, magic: int, what: str, dimensions: int) -> tuple[list[int], np.ndarray]:
    """The sizes in an idx file's header, and the bytes after it, uint8 [product of the sizes].

    Args:
        f: a binary file object, gzipped or not.
        magic: the number the file must start with.
        what: "image" or "label", for the message.
        dimensions: how many sizes the header has.

    Raises:
        ValueError: another magic number, a damaged gzip stream, or too few bytes. Bytes after the
            last value are ignored, as in TF1.
    """
    name = str(getattr(f, "name", "the file"))
    print("Extracting", name)  # as TF1 did
    content = f.read()
    try:
        content = gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content
    except (EOFError, OSError, zlib.error) as error:
        raise ValueError(f"{name} is damaged or truncated: it has {len(content)} bytes ({error})") from error
    header = 4 + 4 * dimensions
    if len(content) < header:
        raise ValueError(f"{name} is truncated: {len(content)} bytes, the header alone has {header}")
    found, *sizes = (int(number) for number in np.frombuffer(content, ">u4", count=1 + dimensions))
    if found != magic:
        raise ValueError(f"Invalid magic number {found} in MNIST {what} file: {name} (expected {magic})")
    expected, present = math.prod(sizes), len(content) - header
    if present < expected:
        raise ValueError(
            f"{name} is truncated: its header announces {' x '.join(map(str, sizes))} = {expected} bytes after the "
            f"first {header}, {present} are there"
        )
    return sizes, np.frombuffer(content, np.uint8, count=expected, offset=header)


def load_dataset(name: str, size: str = "small", test_with_fake_data: bool = False) -> Datasets:
    """`load_mnist` for the name "mnist", which size and fake data change nothing of.

    Raises:
        ValueError: another name; `migrate` leaves those.
    """
    if name != "mnist":
        raise ValueError(f"Name of dataset is not found: {name}")
    return load_mnist()


def maybe_download(filename: str, work_directory: str, source_url: str) -> str:
    """The path of a file that is in a folder already.

    Raises:
        FileNotFoundError: it is not; the message says where it is.
    """
    path = os.path.join(work_directory, filename)  # noqa: PTH118 - it may be in a bucket
    if not tf.io.gfile.exists(path):
        raise FileNotFoundError(f"{path}: nothing is downloaded. TensorFlow 1 took it from {source_url}")
    return path

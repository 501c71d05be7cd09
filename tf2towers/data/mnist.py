"""What MNIST scripts train on, in plain NumPy: `read_data_sets` as TF1's tutorial had it, without the download.

    mnist = read_data_sets("", seed=0)                   # scikit-learn's handwritten digits, no network
    mnist = read_data_sets("/data/mnist", seed=0)        # the real MNIST, four idx files, gzipped or not
    images, labels = mnist.train.next_batch(100)         # float32 [100, 784] in 0..1, float32 [100, 10] one-hot

Workers that are to see different batches pass different seeds: seed + task_index. Importable in Python 3.7.
"""

from __future__ import annotations

import gzip
import io
import zlib
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tf2towers.data.digits import load_digits
from tf2towers.data.errors import DataError

__all__ = ["IMAGE_SIZE", "NUM_CLASSES", "DataSet", "DataSets", "read_data_sets"]

IMAGE_SIZE = 28
NUM_CLASSES = 10
DIGITS_VALIDATION = 150  # of the 297 digits that are not for training; the other 147 are the test set
MNIST_VALIDATION = 5000  # of the 60000 training images, the first ones, as in TF1

_FILES = (
    "train-images-idx3-ubyte",
    "train-labels-idx1-ubyte",
    "t10k-images-idx3-ubyte",
    "t10k-labels-idx1-ubyte",
)
_IMAGES_MAGIC, _LABELS_MAGIC = 2051, 2049


class DataSet:
    """Examples in memory, handed out in shuffled batches; the same seed gives the same batches.

    Args:
        images: float32 [n, 784].
        labels: float32 [n, 10].
        seed: of the shuffles. The generator is the object's own: NumPy's global one is neither used nor seeded.
    """

    def __init__(self, images: np.ndarray, labels: np.ndarray, seed: int = 0) -> None:
        if len(images) != len(labels):
            raise ValueError(f"{len(images)} images but {len(labels)} labels")
        self.images = images
        self.labels = labels
        self._random = np.random.RandomState(seed)  # its streams are frozen across NumPy versions
        self._rows = np.zeros(0, np.int64)  # of this epoch, those still to come

    @property
    def num_examples(self) -> int:
        """How many examples there are."""
        return len(self.images)

    def next_batch(self, batch_size: int) -> tuple[np.ndarray, np.ndarray]:
        """The next `batch_size` images and labels.

        Always full: a batch that meets the end of the epoch is filled from the next one. Every epoch has an
        order of its own.
        """
        if not 0 < batch_size <= self.num_examples:
            raise ValueError(
                f"batch size {batch_size} is not between 1 and the number of images, {self.num_examples}"
            )
        if len(self._rows) < batch_size:
            self._rows = np.concatenate([self._rows, self._random.permutation(self.num_examples)])
        rows, self._rows = self._rows[:batch_size], self._rows[batch_size:]
        return self.images[rows], self.labels[rows]


class DataSets(NamedTuple):
    """The three parts."""

    train: DataSet
    validation: DataSet
    test: DataSet


def read_data_sets(data_dir: str = "", seed: int = 0) -> DataSets:
    """MNIST from the idx files in `data_dir`, or the embedded digits where that is empty.

    The split is always the same, whatever the seed: digits 1500, 150 and 147; MNIST 55000, 5000 and 10000.

    Raises:
        DataError: files are missing, damaged or truncated, or scikit-learn is not installed.
    """
    if data_dir:
        parts = _read_mnist(Path(data_dir))
    else:
        images, labels = load_digits("test")
        inner = _inner(images)
        cut = DIGITS_VALIDATION
        train_images, train_labels = load_digits("train")
        parts = [
            (_inner(train_images), train_labels),
            (inner[:cut], labels[:cut]),
            (inner[cut:], labels[cut:]),
        ]
    train, validation, test = (DataSet(_floats(pixels), _one_hot(labels), seed) for pixels, labels in parts)
    return DataSets(train, validation, test)


def _inner(images: np.ndarray) -> np.ndarray:
    """The middle 28x28 of 32x32 images of three equal channels: the digits, 24x24, with a border of 2."""
    margin = (images.shape[1] - IMAGE_SIZE) // 2
    middle = slice(margin, margin + IMAGE_SIZE)
    return images[:, middle, middle, 0]


def _floats(images: np.ndarray) -> np.ndarray:
    rows: np.ndarray = images.reshape(len(images), -1).astype(np.float32) / np.float32(255)
    return rows


def _one_hot(labels: np.ndarray) -> np.ndarray:
    rows: np.ndarray = np.eye(NUM_CLASSES, dtype=np.float32)[labels]
    return rows


def _read_mnist(folder: Path) -> list[tuple[np.ndarray, np.ndarray]]:
    """Pixels uint8 [n, 28, 28] and labels uint8 [n] of the three parts."""
    train_images, train_labels, test_images, test_labels = (_read_idx(path) for path in _find_files(folder))
    pairs = [("train", train_images, train_labels), ("t10k", test_images, test_labels)]
    for name, images, labels in pairs:
        if len(images) != len(labels):
            raise DataError(
                f"{folder}: the {name} files do not fit together: {len(images)} images, {len(labels)} labels"
            )
        if images.shape[1:] != (IMAGE_SIZE, IMAGE_SIZE):
            raise DataError(f"{folder}: the {name} images have {images.shape[1:]} pixels, expected (28, 28)")
        wrong = np.flatnonzero(labels >= NUM_CLASSES)
        if wrong.size:
            first = int(wrong[0])
            raise DataError(
                f"{folder}: the {name} labels are damaged: number {first} (byte {8 + first}) is {labels[first]}, "
                f"expected 0 to 9; {wrong.size} of {len(labels)} labels are wrong; fetch the file again"
            )
    cut = MNIST_VALIDATION
    if len(train_images) <= cut:
        raise DataError(
            f"{folder}: {len(train_images)} training images, of which the first {cut} are for validation: none left"
        )
    return [
        (train_images[cut:], train_labels[cut:]),
        (train_images[:cut], train_labels[:cut]),
        (test_images, test_labels),
    ]


def _find_files(folder: Path) -> list[Path]:
    """The path of each of the four files, with or without .gz."""
    if not folder.is_dir():
        problem = "is a file, not a directory" if folder.exists() else "does not exist"
        raise DataError(f"MNIST directory {folder} {problem}")
    found, missing = [], []
    for name in _FILES:
        candidates = [path for path in (folder / (name + ".gz"), folder / name) if path.is_file()]
        if candidates:
            found.append(candidates[0])
        else:
            missing.append(name + ".gz")
    if missing:
        raise DataError(
            f"MNIST directory {folder}: {len(missing)} of {len(_FILES)} files missing: {', '.join(missing)}; "
            "each may also be there unpacked, without .gz"
        )
    return found


def _read_idx(path: Path) -> np.ndarray:
    """The bytes of an idx file in the shape its header announces, after checking its kind and size."""
    # runtime/inputs/idx.py reads the same format as TF1 did: it prints, ignores what follows the last value, and needs
    # a newer Python
    content = _unpacked(path)
    images = "-images-" in path.name
    header, magic = (16, _IMAGES_MAGIC) if images else (8, _LABELS_MAGIC)
    if len(content) < header:
        raise DataError(
            f"{path} is truncated: {len(content)} bytes, the header alone has {header}; fetch it again"
        )
    found, *sizes = (int(number) for number in np.frombuffer(content, ">u4", count=header // 4))
    if found != magic:
        kind = "image" if images else "label"
        raise DataError(f"{path} is not an idx file of {kind}s: it starts with {found}, expected {magic}")
    expected = 1  # in Python's integers: a damaged header can announce anything
    for size in sizes:
        expected *= size
    expected += header
    if len(content) != expected:
        verdict = "truncated" if len(content) < expected else "too long"
        raise DataError(
            f"{path} is {verdict}: expected {expected} bytes (a header of {header}, then "
            f"{' x '.join(map(str, sizes))}), found {len(content)} bytes; fetch it again"
        )
    values: np.ndarray = np.frombuffer(content, np.uint8, offset=header).reshape(sizes)
    return values


def _unpacked(path: Path) -> bytes:
    """The content of a file, gzipped (whatever its name) or not."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}") from error
    if content[:2] != b"\x1f\x8b":
        return content
    whole = bytearray()
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as stream:
            while True:
                block = stream.read1(1 << 20)
                if not block:
                    return bytes(whole)
                whole += block
    except (EOFError, OSError, zlib.error) as error:
        raise DataError(
            f"{path} is damaged or truncated: of its {len(content)} bytes, only {len(whole)} bytes could be unpacked "
            f"({error}); fetch it again"
        ) from error

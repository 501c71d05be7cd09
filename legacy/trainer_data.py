"""The images that these trainers train on, in plain NumPy, without a download.

    images, labels = load("")                              # scikit-learn's handwritten digits
    images, labels = load("/data/cifar-10-batches-bin")    # CIFAR-10, the binary version
    for batch_images, batch_labels in batches(images, labels, batch_size=64, seed=0): ...

    mnist = read_data_sets("", seed=0)                     # the digits again, as TF1's MNIST tutorial had its images
    mnist = read_data_sets("/data/mnist", seed=0)          # MNIST, four idx files, gzipped or not
    images, labels = mnist.train.next_batch(100)           # float32 [100, 784] in 0..1, float32 [100, 10] one-hot

Without scikit-learn the digits are made up: ten patterns and noise. The module runs on Python 3.7 and imports no
TensorFlow.
"""

from __future__ import annotations

import functools
import gzip
import io
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

IMAGE_SIZE = 24  # what the CIFAR-10 network takes of an image of 32 x 32
NUM_CLASSES = 10

RECORD_BYTES = 1 + 3 * 32 * 32  # of CIFAR-10: a label, then three planes
RECORDS_PER_FILE = 10000
CIFAR10_ARCHIVE = "cifar-10-batches-bin"  # what the official archive unpacks to
CIFAR10_FILES = {
    "train": [f"data_batch_{number}.bin" for number in range(1, 6)],
    "test": ["test_batch.bin"],
}

MNIST_SIZE = 28
MNIST_FILES = (
    "train-images-idx3-ubyte",
    "train-labels-idx1-ubyte",
    "t10k-images-idx3-ubyte",
    "t10k-labels-idx1-ubyte",
)
MNIST_VALIDATION = 5000  # of the 60000 training images the first ones, as in TF1
IMAGES_MAGIC, IMAGES_HEADER = 2051, 16
LABELS_MAGIC, LABELS_HEADER = 2049, 8

DIGITS_TEST = 297  # of 1797 digits in all; the rest, 1500, are for training
DIGITS_VALIDATION = 150  # of these 297


class DataError(Exception):
    """The images cannot be used; the message names the file, what was expected, and what was found."""


# -- the digits --------------------------------------------------------------------------------------------------------


def load_digits(split: str = "train") -> tuple[np.ndarray, np.ndarray]:
    """Images uint8 [n, 32, 32, 3] and labels int32 [n], n = 1500 for "train" and 297 for "test".

    A digit is 8x8 with grey levels 0..16. Each pixel becomes 3x3, and the 24x24 result gets a black border of
    4: the model's central crop of 24x24 is exactly the digit. The three colour channels are equal.
    """
    if split not in ("train", "test"):
        raise ValueError(f"split must be 'train' or 'test', not {split!r}")
    try:
        from sklearn import datasets
    except ImportError:
        levels, labels = _made_up_digits()
    else:
        digits = datasets.load_digits()
        levels, labels = np.asarray(digits.images), np.asarray(digits.target)
    grey = np.rint(levels * (255.0 / 16.0)).astype(np.uint8)
    grey = grey.repeat(3, axis=1).repeat(3, axis=2)
    grey = np.pad(grey, ((0, 0), (4, 4), (4, 4)), mode="constant")
    images = np.repeat(grey[..., np.newaxis], 3, axis=3)
    rows = slice(None, -DIGITS_TEST) if split == "train" else slice(-DIGITS_TEST, None)
    return images[rows], labels[rows].astype(np.int32)


@functools.lru_cache(maxsize=None)  # noqa: UP033 - it runs on Python 3.7
def _made_up_digits() -> tuple[np.ndarray, np.ndarray]:
    """As many images of 8x8 as there are digits: a pattern for each class, with noise. Made, and said, once."""
    print(
        "scikit-learn is not installed: training on made-up images (--data_dir names real ones)", flush=True
    )
    random = np.random.RandomState(0)
    labels = random.randint(0, NUM_CLASSES, 1500 + DIGITS_TEST)
    patterns = random.randint(0, 17, (NUM_CLASSES, 8, 8))
    noise = random.randint(-6, 7, (len(labels), 8, 8))
    return np.clip(patterns[labels] + noise, 0, 16), labels


# -- CIFAR-10 ----------------------------------------------------------------------------------------------------------


def load(data_dir: str = "", split: str = "train") -> tuple[np.ndarray, np.ndarray]:
    """CIFAR-10 from `data_dir`, or the digits where that is empty; `split` is "train" or "test"."""
    return load_cifar10(data_dir, split) if data_dir else load_digits(split)


def load_cifar10(
    data_dir: str, split: str = "train", records_per_file: int = RECORDS_PER_FILE
) -> tuple[np.ndarray, np.ndarray]:
    """Images uint8 [n, 32, 32, 3] and labels int32 [n]; n = 50000 for "train", 10000 for "test".

    Raises:
        DataError: files are missing or damaged; `records_per_file` is for tests with smaller files.
    """
    parts = [
        _read_cifar10(path, records_per_file) for path in find_cifar10(data_dir, split, records_per_file)
    ]
    return np.concatenate([images for images, _ in parts]), np.concatenate([labels for _, labels in parts])


def find_cifar10(data_dir: str, split: str, records_per_file: int = RECORDS_PER_FILE) -> list[Path]:
    """The paths of a split's files, in `data_dir` or in the archive's folder in it; each has its size.

    Raises:
        DataError: files are missing, truncated or too long.
    """
    if split not in CIFAR10_FILES:
        raise ValueError(f"split must be 'train' or 'test', not {split!r}")
    folder, names = Path(data_dir), CIFAR10_FILES[split]
    if not folder.exists():
        raise DataError(f"CIFAR-10 directory {folder} does not exist")
    if not folder.is_dir():
        hint = "; unpack it and name the folder it makes" if folder.suffix in (".gz", ".tgz", ".tar") else ""
        raise DataError(f"CIFAR-10 directory {folder} is a file, not a directory{hint}")
    if (folder / CIFAR10_ARCHIVE).is_dir() and not (folder / names[0]).exists():
        folder = folder / CIFAR10_ARCHIVE
    missing = [name for name in names if not (folder / name).exists()]
    if missing:
        message = (
            f"CIFAR-10 directory {folder}: {len(missing)} of {len(names)} files missing: {', '.join(missing)}"
        )
        if (folder / Path(names[0]).stem).exists():
            message += "; these are of the Python version, the binary one is needed (cifar-10-binary.tar.gz)"
        raise DataError(message)
    for path in (folder / name for name in names):
        expected, size = records_per_file * RECORD_BYTES, path.stat().st_size
        if path.is_file() and size != expected:
            whole, rest = divmod(size, RECORD_BYTES)
            verdict = "truncated" if size < expected else "too long"
            raise DataError(
                f"{path} is {verdict}: expected {expected} bytes ({records_per_file} records of {RECORD_BYTES}), "
                f"found {size} bytes ({whole} whole records and {rest} bytes); fetch it again"
            )
    return [folder / name for name in names]


def _read_cifar10(path: Path, records: int) -> tuple[np.ndarray, np.ndarray]:
    """One file's images and labels, after checking every label byte."""
    rows = np.frombuffer(_read(path), dtype=np.uint8).reshape(records, RECORD_BYTES)
    labels = rows[:, 0].astype(np.int32)
    wrong = np.flatnonzero(labels >= NUM_CLASSES)
    if wrong.size:
        first = int(wrong[0])
        raise DataError(
            f"{path} is damaged: record {first} (byte {first * RECORD_BYTES}) has label {labels[first]}, "
            f"expected 0 to 9; {wrong.size} of {records} labels are wrong; fetch it again"
        )
    planes = rows[:, 1:].reshape(records, 3, 32, 32)
    return np.ascontiguousarray(planes.transpose(0, 2, 3, 1)), labels


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}") from error


def standardise(images: np.ndarray) -> np.ndarray:
    """uint8 [n, h, w, 3] -> float32 [n, 24, 24, 3]: central crop, then mean 0 and deviation 1 for each image.

    As in tf.image.per_image_standardization, the deviation counts as at least 1/sqrt(number of values): an
    image of one colour becomes zeros. Sums are of integers, hence exact, and the rest is elementwise, so that
    every NumPy makes the same bits (1.18 beside TF 1.15, 2 beside TF 2.21). Float sums depend on their order.
    """
    top, left = (images.shape[1] - IMAGE_SIZE) // 2, (images.shape[2] - IMAGE_SIZE) // 2
    crop = images[:, top : top + IMAGE_SIZE, left : left + IMAGE_SIZE, :].astype(np.int64)
    count = IMAGE_SIZE * IMAGE_SIZE * crop.shape[3]
    total = crop.sum(axis=(1, 2, 3), keepdims=True)
    squares = (crop * crop).sum(axis=(1, 2, 3), keepdims=True)
    mean = total / count
    deviation = np.sqrt((count * squares - total * total) / (count * count))
    scaled = (crop - mean) / np.maximum(deviation, 1.0 / np.sqrt(count))
    return scaled.astype(np.float32)


def batches(
    images: np.ndarray, labels: np.ndarray, batch_size: int, seed: int, raw: bool = False
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Pairs (float32 [batch_size, 24, 24, 3], int32 [batch_size]) without end, reshuffled each epoch.

    `images` is uint8 [n, 32, 32, 3] and `labels` int32 [n], as load() gives them. Every batch is full: the
    last n % batch_size examples of an epoch's order are left out. `raw`: the images as they are.
    """
    if len(images) != len(labels):
        raise ValueError(f"{len(images)} images but {len(labels)} labels")
    if not 0 < batch_size <= len(images):
        raise ValueError(f"batch size {batch_size} is not between 1 and the number of images, {len(images)}")

    def made() -> Iterator[tuple[np.ndarray, np.ndarray]]:
        random = np.random.RandomState(
            seed
        )  # its streams are frozen across NumPy versions; default_rng's are not
        while True:
            order = random.permutation(len(images))
            for end in range(batch_size, len(images) + 1, batch_size):
                rows = order[end - batch_size : end]
                yield images[rows] if raw else standardise(images[rows]), labels[rows]

    return made()


# -- MNIST -------------------------------------------------------------------------------------------------------------


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
        self.num_examples = len(images)
        self._random = np.random.RandomState(seed)
        self._rows = np.zeros(0, np.int64)  # of this epoch, those still to come

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
    """MNIST from the idx files in `data_dir`, or the digits where that is empty.

    The split is always the same, whatever the seed: digits 1500, 150 and 147; MNIST 55000, 5000 and 10000.
    Workers that are to see different batches pass different seeds: seed + task_index.

    Raises:
        DataError: files are missing, damaged or truncated.
    """
    if data_dir:
        parts = _read_mnist(Path(data_dir))
    else:
        images, labels = load_digits("test")
        images, cut = _middle(images), DIGITS_VALIDATION
        train_images, train_labels = load_digits("train")
        parts = [
            (_middle(train_images), train_labels),
            (images[:cut], labels[:cut]),
            (images[cut:], labels[cut:]),
        ]
    one_hot = np.eye(NUM_CLASSES, dtype=np.float32)
    train, validation, test = (
        DataSet(pixels.reshape(len(pixels), -1).astype(np.float32) / np.float32(255), one_hot[labels], seed)
        for pixels, labels in parts
    )
    return DataSets(train, validation, test)


def _middle(images: np.ndarray) -> np.ndarray:
    """The middle 28x28 of 32x32 images of three equal channels: the digits, 24x24, with a border of 2."""
    margin = (images.shape[1] - MNIST_SIZE) // 2
    middle = slice(margin, margin + MNIST_SIZE)
    return images[:, middle, middle, 0]


def _read_mnist(folder: Path) -> list[tuple[np.ndarray, np.ndarray]]:
    """Pixels uint8 [n, 28, 28] and labels uint8 [n] of the three parts."""
    train_images, train_labels, test_images, test_labels = (_read_idx(path) for path in find_mnist(folder))
    pairs = [("train", train_images, train_labels), ("t10k", test_images, test_labels)]
    for name, images, labels in pairs:
        if len(images) != len(labels):
            raise DataError(
                f"{folder}: the {name} files do not fit together: {len(images)} images, {len(labels)} labels"
            )
        if images.shape[1:] != (MNIST_SIZE, MNIST_SIZE):
            raise DataError(f"{folder}: the {name} images have {images.shape[1:]} pixels, expected (28, 28)")
        wrong = np.flatnonzero(labels >= NUM_CLASSES)
        if wrong.size:
            first = int(wrong[0])
            raise DataError(
                f"{folder}: the {name} labels are damaged: number {first} (byte {LABELS_HEADER + first}) is "
                f"{labels[first]}, expected 0 to 9; {wrong.size} of {len(labels)} labels are wrong; "
                "fetch the file again"
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


def find_mnist(folder: Path) -> list[Path]:
    """The path of each of the four files, with or without .gz: training images and labels, then those for tests."""
    if not folder.is_dir():
        problem = "is a file, not a directory" if folder.exists() else "does not exist"
        raise DataError(f"MNIST directory {folder} {problem}")
    found, missing = [], []
    for name in MNIST_FILES:
        candidates = [path for path in (folder / (name + ".gz"), folder / name) if path.is_file()]
        found.extend(candidates[:1])
        if not candidates:
            missing.append(name + ".gz")
    if missing:
        raise DataError(
            f"MNIST directory {folder}: {len(missing)} of {len(MNIST_FILES)} files missing: {', '.join(missing)}; "
            "each may also be there unpacked, without .gz"
        )
    return found


def _read_idx(path: Path) -> np.ndarray:
    """The bytes of an idx file in the shape its header announces, after checking its kind and size."""
    content = _unpacked(path)
    images = "-images-" in path.name
    header, magic = (IMAGES_HEADER, IMAGES_MAGIC) if images else (LABELS_HEADER, LABELS_MAGIC)
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
    return np.frombuffer(content, np.uint8, offset=header).reshape(sizes)


def _unpacked(path: Path) -> bytes:
    """The content of a file, gzipped (whatever its name) or not."""
    content = _read(path)
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

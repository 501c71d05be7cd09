"""The loader of MNIST: it gives TF 1.15's batches, from packed and plain files, and a sentence for a bad file."""

import gzip
import hashlib
import struct
from pathlib import Path

import numpy as np
import pytest

pytestmark = pytest.mark.tensorflow
tf = pytest.importorskip("tensorflow")

from tf2towers.runtime import input_data  # noqa: E402

NAMES = (
    "train-images-idx3-ubyte",
    "train-labels-idx1-ubyte",
    "t10k-images-idx3-ubyte",
    "t10k-labels-idx1-ubyte",
)


def pixels(count: int) -> np.ndarray:
    return (np.arange(count * 12) * 7 % 251).astype(np.uint8).reshape(count, 4, 3)


def image_file(count: int) -> bytes:
    return struct.pack(">4I", 2051, count, 4, 3) + pixels(count).tobytes()


def label_file(count: int) -> bytes:
    return struct.pack(">2I", 2049, count) + (np.arange(count) % 10).astype(np.uint8).tobytes()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """30 training and 8 test images of 4x3, half of the files packed."""
    contents = (image_file(30), label_file(30), image_file(8), label_file(8))
    for place, (name, content) in enumerate(zip(NAMES, contents, strict=True)):
        if place % 2:
            (tmp_path / name).write_bytes(content)
        else:
            (tmp_path / f"{name}.gz").write_bytes(gzip.compress(content))
    return tmp_path


def test_training_validation_and_test_sets(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sets = input_data.read_data_sets(str(folder), validation_size=5)
    assert [part.num_examples for part in sets] == [25, 5, 8]
    assert sets.train.images.shape == (25, 12)
    assert sets.train.images.dtype == np.float32
    np.testing.assert_array_equal(sets.validation.labels, np.arange(5))
    np.testing.assert_array_equal(
        sets.test.images, pixels(8).reshape(8, 12).astype(np.float32) * np.float32(1 / 255)
    )
    assert capsys.readouterr().out.splitlines()[0] == f"Extracting {folder}/{NAMES[0]}.gz"


def test_one_hot_labels_and_images_as_they_are(folder: Path) -> None:
    sets = input_data.read_data_sets(
        str(folder), one_hot=True, dtype=tf.uint8, reshape=False, validation_size=0
    )
    np.testing.assert_array_equal(sets.train.images[..., 0], pixels(30))
    assert sets.train.images.dtype == np.uint8
    assert sets.train.labels.dtype == np.float64
    np.testing.assert_array_equal(sets.train.labels.argmax(1), np.arange(30) % 10)
    assert sets.validation.num_examples == 0


# What TF 1.15.5 gave for these files: labels of the batches, then a digest of all their pixels.
FROM_TF1 = {
    "seed": "32780187679961205469453858757035866150834497922619257668156948470051297 7e0c05de7dd1",
    "numpy": "54198463057960589732678211481097063456785228573969475683759218605967241 3603414178da",
    "global": "21786309538758596429761406481751689450327980735629681817937592405063895 8add782ab65c",
}


def drawn(part: input_data.DataSet) -> str:
    """Batches that fit an epoch, end it, cross it and start in it, and one in the order of the files."""
    labels, digest = [], hashlib.sha256()
    for size, shuffle in ((10, True), (15, True), (20, True), (20, True), (6, False)):
        images, numbers = part.next_batch(size, shuffle=shuffle)
        assert images.shape == (size, 12)
        labels.extend(int(number) for number in numbers)
        digest.update(np.ascontiguousarray(images).tobytes())
    return "".join(map(str, labels)) + " " + digest.hexdigest()[:12]


@pytest.mark.parametrize("seeded", sorted(FROM_TF1))
def test_batches_are_those_of_tf1(folder: Path, seeded: str) -> None:
    try:
        if seeded == "global":
            tf.random.set_seed(1234)
        sets = input_data.read_data_sets(str(folder), validation_size=5, seed=3 if seeded == "seed" else None)
        if seeded == "numpy":
            np.random.seed(11)
        assert drawn(sets.train) == FROM_TF1[seeded]
        assert sets.train.epochs_completed == 2
    finally:
        tf.random.set_seed(None)


def test_the_global_seed_s_sequence_is_left_alone(folder: Path) -> None:
    try:
        tf.random.set_seed(7)
        expected = float(tf.random.uniform([]))
        tf.random.set_seed(7)
        input_data.read_data_sets(str(folder), validation_size=5)
        assert float(tf.random.uniform([])) == expected
    finally:
        tf.random.set_seed(None)


def test_fake_data() -> None:
    sets = input_data.read_data_sets("nowhere", fake_data=True, one_hot=True)
    images, labels = sets.train.next_batch(2, fake_data=True)
    assert (len(images), len(images[0]), labels[1]) == (2, 784, [1] + [0] * 9)
    assert sets.test.num_examples == 10000


def test_missing_files(folder: Path) -> None:
    (folder / f"{NAMES[0]}.gz").unlink()
    (folder / NAMES[3]).unlink()
    with pytest.raises(FileNotFoundError) as caught:
        input_data.read_data_sets(str(folder))
    assert str(caught.value).startswith(
        f"2 of the 4 MNIST files are missing in {folder}: train-images-idx3-ubyte.gz, t10k-labels-idx1-ubyte.gz."
    )
    with pytest.raises(
        FileNotFoundError,
        match=r"4 of the 4 .*/no \(there is no such folder\).*example\.org.*does not: download",
    ):
        input_data.read_data_sets(str(folder / "no"), source_url="https://example.org/fashion/")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            image_file(30)[:-5],
            "is truncated: its header announces 30 x 4 x 3 = 360 bytes after the first 16, 355 are",
        ),
        (image_file(30)[:9], "is truncated: 9 bytes, the header alone has 16"),
        (b"", "is truncated: 0 bytes"),
        (label_file(30), "Invalid magic number 2049 in MNIST image file: .*expected 2051"),
        (gzip.compress(image_file(30))[:-12], r"is damaged or truncated: it has \d+ bytes"),
        (gzip.compress(image_file(30))[:-8] + b"\0" * 8, "is damaged or truncated: .*CRC check failed"),
        (gzip.compress(image_file(30)[:-5]), "header announces"),
        (b"<html>Not Found, and more of it</html>", "Invalid magic number"),
    ],
)
def test_damaged_files(folder: Path, content: bytes, message: str) -> None:
    (folder / f"{NAMES[0]}.gz").write_bytes(content)
    with pytest.raises(ValueError, match=message) as caught:
        input_data.read_data_sets(str(folder))
    assert NAMES[0] in str(caught.value)


def test_sizes_and_types_that_tf1_refused_are_errors(folder: Path) -> None:
    with pytest.raises(ValueError, match=r"between 0 and 30\. Received: 31"):
        input_data.read_data_sets(str(folder), validation_size=31)
    with pytest.raises(TypeError, match="expected uint8 or float32"):
        input_data.read_data_sets(str(folder), dtype=tf.float64, validation_size=0)
    (folder / NAMES[1]).write_bytes(label_file(29))
    with pytest.raises(ValueError, match=r"30 images .* 29 labels"):
        input_data.read_data_sets(str(folder), validation_size=0)


def test_a_label_that_is_no_class() -> None:
    np.testing.assert_array_equal(input_data.dense_to_one_hot(np.array([1, 0]), 2), [[0, 1], [1, 0]])
    with pytest.raises(ValueError, match="label 7 of example 1 is not one of 3 classes"):
        input_data.dense_to_one_hot(np.array([1, 7], np.uint8), 3)


def test_a_file_that_is_there_is_not_downloaded(tmp_path: Path) -> None:
    (tmp_path / "a.gz").write_bytes(b"")
    assert input_data.maybe_download("a.gz", str(tmp_path), "http://x/a.gz") == str(tmp_path / "a.gz")
    with pytest.raises(FileNotFoundError, match="TensorFlow 1 took it from"):
        input_data.maybe_download("b.gz", str(tmp_path), "http://x/b.gz")


def test_only_mnist_has_a_name() -> None:
    with pytest.raises(ValueError, match="not found: iris"):
        input_data.load_dataset("iris")
    with pytest.raises(FileNotFoundError, match="MNIST-data"):
        input_data.load_dataset("mnist")

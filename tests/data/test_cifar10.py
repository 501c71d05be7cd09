"""The binary CIFAR-10 reader on small files written here: what it reads, what it says of damaged ones."""

import os
from pathlib import Path

import numpy as np
import pytest
from trainer_data import DataError, load, load_cifar10

RECORDS = 4
NAMES = [f"data_batch_{number}.bin" for number in range(1, 6)]


def record(label: int, pixels: np.ndarray) -> bytes:
    """One record from an image [32, 32, 3], as the format is described: label, then R, G and B planes."""
    return bytes([label]) + b"".join(pixels[:, :, channel].tobytes() for channel in range(3))


@pytest.fixture
def written(tmp_path: Path) -> tuple[Path, np.ndarray, np.ndarray]:
    """A directory with five training files and a test file of 4 records each, and what is in them."""
    random = np.random.RandomState(0)
    images = random.randint(0, 256, (6 * RECORDS, 32, 32, 3)).astype(np.uint8)
    labels = random.randint(0, 10, 6 * RECORDS)
    for number, name in enumerate([*NAMES, "test_batch.bin"]):
        rows = range(number * RECORDS, (number + 1) * RECORDS)
        (tmp_path / name).write_bytes(b"".join(record(labels[row], images[row]) for row in rows))
    return tmp_path, images, labels


def test_images_and_labels_come_back(written):
    folder, images, labels = written
    got_images, got_labels = load_cifar10(str(folder), records_per_file=RECORDS)
    assert got_images.dtype == np.uint8 and got_labels.dtype == np.int32
    np.testing.assert_array_equal(got_images, images[: 5 * RECORDS])
    np.testing.assert_array_equal(got_labels, labels[: 5 * RECORDS])
    np.testing.assert_array_equal(load_cifar10(str(folder), "test", RECORDS)[0], images[5 * RECORDS :])


def test_folder_of_the_archive_is_found(written):
    folder, images, _ = written
    inner = folder / "cifar-10-batches-bin"
    inner.mkdir()
    for name in NAMES:
        (folder / name).rename(inner / name)
    np.testing.assert_array_equal(
        load_cifar10(str(folder), records_per_file=RECORDS)[0], images[: 5 * RECORDS]
    )


def failure(folder: Path) -> str:
    with pytest.raises(DataError) as caught:
        load_cifar10(str(folder), records_per_file=RECORDS)
    return str(caught.value)


@pytest.mark.parametrize(
    ("number", "damage", "said"),
    [
        (
            2,
            lambda content: content[:-100],
            ["truncated", "found 12192 bytes (3 whole records and 2973 bytes)"],
        ),
        (0, lambda content: content[: 3 * 3073], ["found 9219 bytes (3 whole records and 0 bytes)"]),
        (0, lambda content: content + b"x", ["too long: expected 12292 bytes (4 records of 3073)"]),
        (
            4,
            lambda content: content[: 2 * 3073] + bytes([17]) + content[2 * 3073 + 1 :],
            ["record 2 (byte 6146) has label 17, expected 0 to 9; 1 of 4 labels are wrong"],
        ),
    ],
)
def test_damaged_file_is_reported_with_what_and_where(written, number, damage, said):
    path = written[0] / NAMES[number]
    path.write_bytes(damage(path.read_bytes()))
    message = failure(written[0])
    assert str(path) in message and all(each in message for each in said)


def test_missing_files_are_all_named(written):
    folder, _, _ = written
    (folder / NAMES[1]).unlink()
    (folder / NAMES[3]).unlink()
    assert "2 of 5 files missing: data_batch_2.bin, data_batch_4.bin" in failure(folder)


def test_python_version_of_the_data_set_is_recognised(tmp_path):
    (tmp_path / "data_batch_1").write_bytes(b"pickle")
    assert "Python version" in failure(tmp_path)


def test_missing_directory_and_archive_left_packed(tmp_path):
    assert "does not exist" in failure(tmp_path / "nowhere")
    archive = tmp_path / "cifar-10-binary.tar.gz"
    archive.write_bytes(b"")
    assert "is a file, not a directory; unpack it" in failure(archive)


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads every file")
def test_unreadable_file(written):
    folder, _, _ = written
    (folder / NAMES[0]).chmod(0)
    assert "cannot be read: Permission denied" in failure(folder)


def test_directory_in_the_place_of_a_file(written):
    folder, _, _ = written
    (folder / NAMES[0]).unlink()
    (folder / NAMES[0]).mkdir()
    assert "cannot be read: Is a directory" in failure(folder)


def test_load_expects_files_of_the_real_size(written):
    folder, _, _ = written
    with pytest.raises(
        DataError, match=r"expected 30730000 bytes \(10000 records of 3073\), found 12292 bytes"
    ):
        load(str(folder))

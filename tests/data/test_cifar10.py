"""The binary CIFAR-10 reader on small files written here: what it reads, what it says of damaged ones."""

from pathlib import Path

import numpy as np
import pytest
from trainer_data import load

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
    got_images, got_labels = load(str(folder))
    assert got_images.dtype == np.uint8 and got_labels.dtype == np.int32
    np.testing.assert_array_equal(got_images, images[: 5 * RECORDS])
    np.testing.assert_array_equal(got_labels, labels[: 5 * RECORDS])
    np.testing.assert_array_equal(load(str(folder), "test")[0], images[5 * RECORDS :])


@pytest.mark.parametrize("number", [0, 3])
def test_a_damaged_or_missing_file_is_named(written, number):
    path = written[0] / NAMES[number]
    path.write_bytes(path.read_bytes()[:-100])
    for _ in ("damaged", "missing"):
        with pytest.raises(ValueError, match=f"{NAMES[number]} is missing or damaged: the binary version"):
            load(str(written[0]))
        path.unlink(missing_ok=True)

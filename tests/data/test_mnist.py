"""MNIST-shaped data: the embedded digits, and the idx reader on small files written here."""

import gzip
import struct
from pathlib import Path

import numpy as np
import pytest
import trainer_data as mnist

NAMES = {
    "train": ("train-images-idx3-ubyte", "train-labels-idx1-ubyte"),
    "t10k": ("t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"),
}
TRAIN, TEST, VALIDATION = 12, 4, 5


def write(folder: Path, split: str, images: np.ndarray, labels: np.ndarray) -> None:
    """Both files of a split, as the format is described: magic number, sizes, bytes."""
    image_name, label_name = NAMES[split]
    content = struct.pack(">4i", 2051, *images.shape) + images.tobytes()
    (folder / image_name).write_bytes(content)
    (folder / label_name).write_bytes(struct.pack(">2i", 2049, len(labels)) + labels.tobytes())


@pytest.fixture
def written(tmp_path: Path, monkeypatch) -> tuple[Path, np.ndarray, np.ndarray]:
    """A directory with the four files of 12 and 4 examples, of which 5 are for validation."""
    monkeypatch.setattr(mnist, "VALIDATION_SIZE", VALIDATION)
    random = np.random.RandomState(0)
    images = random.randint(0, 256, (TRAIN + TEST, 28, 28)).astype(np.uint8)
    labels = random.randint(0, 10, TRAIN + TEST).astype(np.uint8)
    write(tmp_path, "train", images[:TRAIN], labels[:TRAIN])
    write(tmp_path, "t10k", images[TRAIN:], labels[TRAIN:])
    return tmp_path, images, labels


def test_digits_of_scikit_learn_stand_in_for_mnist():
    pytest.importorskip("sklearn")
    sets = mnist.read_data_sets()
    assert [part.num_examples for part in sets] == [1500, 150, 147]
    for part in sets:
        assert part.images.shape == (part.num_examples, 784) and part.images.dtype == np.float32
        assert part.labels.shape == (part.num_examples, 10) and part.labels.dtype == np.float32
        assert part.images.min() == 0.0 and part.images.max() == 1.0
        np.testing.assert_array_equal(part.labels.sum(axis=1), 1.0)
        pixels = part.images.reshape(-1, 28, 28)
        assert not pixels[:, :2].any() and not pixels[:, :, -2:].any()  # the border
        np.testing.assert_array_equal(pixels[:, 2:26:3, 2:26:3], pixels[:, 4:26:3, 4:26:3])  # pixels of 3x3
    other = mnist.read_data_sets(seed=1)
    for part, same in zip(sets, other, strict=True):
        np.testing.assert_array_equal(part.images, same.images)  # the seed is only of the shuffles


def numbered(count: int, seed: int) -> mnist.DataSet:
    """Examples whose image and label both say which they are."""
    rows = np.arange(count, dtype=np.float32)
    return mnist.DataSet(np.tile(rows[:, None], 784), np.tile(rows[:, None], 10), seed)


def drawn(data: mnist.DataSet, batch_size: int, count: int) -> list[int]:
    chosen: list[int] = []
    for _ in range(count):
        images, labels = data.next_batch(batch_size)
        assert images.shape == (batch_size, 784) and labels.shape == (batch_size, 10)
        np.testing.assert_array_equal(images[:, 0], labels[:, 0])
        chosen.extend(int(value) for value in labels[:, 0])
    return chosen


def test_every_epoch_has_every_example_once_in_its_own_order():
    chosen = drawn(numbered(10, seed=0), 4, 10)  # 4 does not divide 10
    epochs = [chosen[start : start + 10] for start in range(0, 40, 10)]
    assert all(sorted(epoch) == list(range(10)) for epoch in epochs)
    assert len({tuple(epoch) for epoch in epochs}) == 4


def test_batches_follow_from_the_seed_alone():
    first = drawn(numbered(50, seed=3), 7, 20)
    np.random.seed(99)
    state = np.random.get_state()[1].copy()
    assert drawn(numbered(50, seed=3), 7, 20) == first
    np.testing.assert_array_equal(np.random.get_state()[1], state)
    assert drawn(numbered(50, seed=4), 7, 20) != first


def test_batch_size_out_of_range():
    data = numbered(10, seed=0)
    assert sorted(drawn(data, 10, 1)) == list(range(10))
    for size in (0, 11):
        with pytest.raises(ValueError, match=f"a batch of {size}, of 10 images"):
            data.next_batch(size)


def test_idx_files_come_back(written):
    folder, images, labels = written
    sets = mnist.read_data_sets(str(folder))
    bounds = {"validation": (0, VALIDATION), "train": (VALIDATION, TRAIN), "test": (TRAIN, TRAIN + TEST)}
    for name, (start, end) in bounds.items():
        part = getattr(sets, name)
        expected = images[start:end].reshape(-1, 784).astype(np.float32) / np.float32(255)
        np.testing.assert_array_equal(part.images, expected)
        np.testing.assert_array_equal(part.labels.argmax(axis=1), labels[start:end])


def test_gzipped_files_come_back(written):
    folder, _, _ = written
    plain = mnist.read_data_sets(str(folder))
    for path in list(folder.iterdir()):
        (folder / (path.name + ".gz")).write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()
    for part, expected in zip(mnist.read_data_sets(str(folder)), plain, strict=True):
        np.testing.assert_array_equal(part.images, expected.images)
        np.testing.assert_array_equal(part.labels, expected.labels)


@pytest.mark.parametrize("damaged", [0, 1])
def test_what_is_damaged_or_missing_is_named(written, damaged):
    path = written[0] / NAMES["t10k"][damaged]
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(ValueError, match=r"the t10k files of .* are damaged"):
        mnist.read_data_sets(str(written[0]))
    path.unlink()
    with pytest.raises(ValueError, match=f"has no {path.name}, with or without .gz"):
        mnist.read_data_sets(str(written[0]))


def test_a_label_that_is_none(written):
    path = written[0] / NAMES["train"][1]
    path.write_bytes(path.read_bytes()[:-1] + bytes([77]))
    with pytest.raises(ValueError, match=r"the train files of .* are damaged"):
        mnist.read_data_sets(str(written[0]))

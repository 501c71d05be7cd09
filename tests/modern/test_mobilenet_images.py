"""The images of MobileNetV2: the digits, JPEG files, and TensorFlow Datasets through its own mock data."""

import sys
from pathlib import Path

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

PATH = Path(__file__).parents[2] / "modern" / "mobilenet_images.py"
sys.path.insert(0, str(PATH.parent))
import mobilenet_images as loader  # noqa: E402


@pytest.mark.parametrize(("name", "classes"), [("cats_vs_dogs", 2), ("tf_flowers", 5)])
def test_tensorflow_datasets(name, classes):
    """The real loading code; the images are the library's random ones, of the data set's own kind."""
    tfds = pytest.importorskip("tensorflow_datasets")
    with tfds.testing.mock_data(num_examples=21):
        images = loader.load(name)
        batches = list(loader.batches(images, size=32, batch_size=8, epochs=2, seed=0, made=0))
    assert (len(images.train), images.classes) == (21, classes)
    assert len(batches) == 4  # of 21 images 16 an epoch
    for pixels, labels in batches:
        assert pixels.shape == (8, 32, 32, 3) and pixels.dtype == tf.float32
        assert float(tf.reduce_min(pixels)) >= 0.0 and 0.5 < float(tf.reduce_max(pixels)) <= 1.0
        assert set(labels.numpy()) <= set(range(classes))


def test_a_library_that_is_not_installed(monkeypatch):
    monkeypatch.setitem(sys.modules, "tensorflow_datasets", None)
    with pytest.raises(SystemExit, match=r"pip install tensorflow-datasets.*--data_dir"):
        loader.load("cats_vs_dogs")


@pytest.fixture
def photos(tmp_path):
    """Two classes of JPEG files, a stranger among them, and a class of none."""
    for kind, shade, count in (("cats", 0, 3), ("dogs", 255, 4), ("empty", 0, 0)):
        (tmp_path / kind).mkdir()
        for number in range(count):
            image = np.full((20 + number, 40, 3), shade, np.uint8)
            (tmp_path / kind / f"{number}.jpg").write_bytes(tf.io.encode_jpeg(image).numpy())
    (tmp_path / "cats" / "odd.JPG").write_bytes(b"GIF89a")
    (tmp_path / "cats" / "notes.txt").write_text("no image")
    (tmp_path / "list.txt").write_text("no class")
    return tmp_path


def test_jpeg_files(photos, capsys):
    images = loader.load("digits", str(photos))
    assert (len(images.train), images.classes) == (7, 3)
    assert capsys.readouterr().out == "7 JPEG files; left out 1 that are not JPEG inside\n"
    (pixels, labels), *more = loader.batches(images, size=32, batch_size=7, epochs=1, seed=0, made=0)
    assert more == [] and sorted(labels.numpy()) == [0, 0, 0, 1, 1, 1, 1]
    np.testing.assert_allclose(
        pixels.numpy()[:, 5, 5, 0], labels.numpy(), atol=0.02
    )  # cats are black, dogs white


def test_the_legacy_trainer_finds_the_same_files(photos, monkeypatch):
    """Its list, which is plain Python, against what the other decodes."""
    text = (PATH.parents[1] / "legacy" / "mobilenet_towers.py").read_text()
    names = {"os": __import__("os"), "np": np}
    exec(text[text.index("def list_jpegs") : text.index("def input_dataset")], names)
    (photos / "cats" / "odd.JPG").unlink()
    files, labels, classes = names["list_jpegs"](str(photos))
    found = [
        (name.decode(), label) for name, label in loader.load("digits", str(photos)).train.as_numpy_iterator()
    ]
    assert (classes, sorted(zip(files, labels, strict=True))) == (
        3,
        sorted(found),
    )  # shuffled by one seed or another


def test_what_is_no_folder_of_classes(tmp_path):
    for folder in (tmp_path / "nowhere", tmp_path):
        with pytest.raises(
            SystemExit, match=f"{folder.name}: no JPEG file in its 0 folders, one for each class"
        ):
            loader.load("digits", str(folder))


def test_an_epoch_has_its_own_order_and_the_same_each_time():
    """Also where its first batch has been looked at before, as `fit` does."""
    images = loader.load("digits")
    batches = loader.batches(images, size=32, batch_size=500, epochs=2, seed=3, made=0)
    next(iter(batches))
    runs = [np.stack([labels.numpy() for _, labels in batches]) for _ in range(2)]
    later = loader.batches(images, size=32, batch_size=500, epochs=2, seed=3, made=4)
    np.testing.assert_array_equal(np.stack([labels.numpy() for _, labels in later]), runs[0][4:])
    assert runs[0].shape == (6, 500)
    np.testing.assert_array_equal(*runs)
    first, second = runs[0].reshape(2, 1500)
    assert (first != second).any() and (np.sort(first) == np.sort(second)).all()


def test_batches_of_files_that_are_listed_class_by_class_are_mixed(tmp_path):
    """All names are shuffled, however many files a class has, and before a file is read."""
    for kind, shade in (("cats", 0), ("dogs", 255)):
        (tmp_path / kind).mkdir()
        jpeg = tf.io.encode_jpeg(np.full((8, 8, 3), shade, np.uint8)).numpy()
        for number in range(1200):
            (tmp_path / kind / f"{number}.jpg").write_bytes(jpeg)
    images = loader.load("digits", str(tmp_path))
    parts = [float(np.mean(labels)) for _, labels in loader.batches(images, 8, 100, epochs=1, seed=0, made=0)]
    assert len(parts) == 24 and all(0.3 < part < 0.7 for part in parts), parts


@pytest.mark.parametrize(
    ("part", "most", "trained", "kept"), [(0.3, 0, 5, 2), (0.3, 4, 4, 2), (0.0, 4, 4, 0)]
)
def test_a_part_is_kept_for_evaluation(photos, part, most, trained, kept):
    """And where fewer are trained on, they are not those of the first class alone."""
    images = loader.load("digits", str(photos), part, most)
    used, held = ([int(label) for _, label in names] for names in (images.train, images.validation))
    assert (len(used), len(held)) == (trained, kept)
    assert set(used) == {0, 1} and (most or sorted(held + used) == [0, 0, 0, 1, 1, 1, 1])
    ((pixels, _), *_) = loader.batched(images.train, 16, 4)
    assert (pixels.shape, pixels.dtype) == ((4, 16, 16, 3), tf.float32)

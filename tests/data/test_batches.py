"""Batches and the embedded digits: shapes, determinism, and the same bits in every NumPy."""

import hashlib
import itertools
import sys

import numpy as np
import pytest
from trainer_data import _levels_and_labels, batches, load, load_digits, standardise


def make(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Images that are distinguished by their label, which is their number."""
    random = np.random.RandomState(1)
    return random.randint(0, 256, (count, 32, 32, 3)).astype(np.uint8), np.arange(count, dtype=np.int32)


def test_standardised_images_have_mean_0_and_deviation_1():
    images, _ = make(3)
    result = standardise(images)
    assert result.shape == (3, 24, 24, 3) and result.dtype == np.float32
    np.testing.assert_allclose(result.mean(axis=(1, 2, 3)), 0, atol=1e-6)
    np.testing.assert_allclose(result.std(axis=(1, 2, 3)), 1, rtol=1e-6)
    middle = images[:, 4:28, 4:28].astype(np.float64)
    expected = (middle - middle.mean(axis=(1, 2, 3), keepdims=True)) / middle.std(
        axis=(1, 2, 3), keepdims=True
    )
    np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-6)


def test_image_of_one_colour_becomes_zeros():
    assert not standardise(np.full((1, 32, 32, 3), 200, np.uint8)).any()


def test_epoch_holds_each_example_at_most_once_and_is_reshuffled():
    images, labels = make(10)
    got = [batch_labels for _, batch_labels in itertools.islice(batches(images, labels, 4, seed=0), 6)]
    for epoch in range(3):
        first, second = got[2 * epoch], got[2 * epoch + 1]
        assert len({*first, *second}) == 8  # full batches only: two of the ten are left out
    assert any((got[0] != got[2 * epoch]).any() for epoch in (1, 2))


def test_same_seed_same_batches_and_another_seed_others():
    images, labels = make(12)
    orders = [
        np.concatenate([y for _, y in itertools.islice(batches(images, labels, 4, seed), 5)])
        for seed in (3, 3, 4)
    ]
    assert (orders[0] == orders[1]).all()
    assert (orders[0] != orders[2]).any()


@pytest.mark.parametrize("size", [0, -1, 11])
def test_batch_size_out_of_range_is_refused(size):
    with pytest.raises(ValueError, match=f"a batch of {size}, of 10 images"):
        next(batches(*make(10), batch_size=size, seed=0))


def test_digits_fill_the_crop_and_are_split_without_overlap():
    images, labels = load()
    test_images, test_labels = load_digits("test")
    assert images.shape == (1500, 32, 32, 3) and test_images.shape == (297, 32, 32, 3)
    assert images.dtype == np.uint8 and labels.dtype == np.int32
    assert set(labels) == set(test_labels) == set(range(10))
    assert not images[:, :4].any() and not images[:, :, :4].any()  # the border the crop takes away
    assert images.max() == 255
    assert (images[..., 0] == images[..., 2]).all()


def test_digits_batches_are_the_bits_seen_beside_tf_1_15():
    """The digest is Python 3.7 and NumPy 1.18: the legacy trainer on a real TF 1.15 sees the same images."""
    digest = hashlib.sha256()
    for images, labels in itertools.islice(batches(*load(), 32, seed=1), 100):
        digest.update(images.tobytes() + labels.tobytes())
    assert digest.hexdigest() == "1b6156918135c8093be2eb8fc75cf0284422d3154b888b73dc13e8f495353cac"


def test_images_stay_with_their_labels_raw_ones_too():
    images, labels = make(6)
    made, raw = (batches(images, labels, 3, seed=5, raw=raw) for raw in (False, True))
    for (made_images, numbers), (raw_images, same) in itertools.islice(zip(made, raw, strict=False), 4):
        np.testing.assert_array_equal(numbers, same)
        np.testing.assert_array_equal(raw_images, images[numbers])
        np.testing.assert_array_equal(made_images, standardise(images[numbers]))


def test_without_scikit_learn_images_are_made_up(monkeypatch, capsys):
    """As many, of the same shapes, and with something to learn: the nearest class mean is nearly always right."""
    monkeypatch.setitem(sys.modules, "sklearn", None)
    _levels_and_labels.cache_clear()
    images, labels = load_digits()
    test_images, test_labels = load_digits("test")
    _levels_and_labels.cache_clear()
    assert capsys.readouterr().out.count("scikit-learn is not installed: training on made-up images") == 1
    assert images.shape == (1500, 32, 32, 3) and test_images.shape == (297, 32, 32, 3)
    assert images.dtype == np.uint8 and labels.dtype == np.int32
    means = np.stack([images[labels == label].mean(axis=0) for label in range(10)])
    nearest = [int(np.argmin([np.square(image - mean).sum() for mean in means])) for image in test_images]
    assert np.mean(nearest == test_labels) > 0.95

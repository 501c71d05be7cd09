"""Endless batches, the same for the same seed in every NumPy and every Python this project runs on."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

IMAGE_SIZE = 24  # what the model takes: the middle of the 32x32 image


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
    scaled: np.ndarray = (crop - mean) / np.maximum(deviation, 1.0 / np.sqrt(count))
    return scaled.astype(np.float32)


def batches(
    images: np.ndarray, labels: np.ndarray, batch_size: int, seed: int, start: int = 0
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Pairs (float32 [batch_size, 24, 24, 3], int32 [batch_size]) without end, reshuffled each epoch.

    `images` is uint8 [n, 32, 32, 3] and `labels` int32 [n], as load() gives them. Every batch is full: the
    last n % batch_size examples of an epoch's order are left out. `start` counts batches to pass over
    without making them: a resumed run goes on where it stopped.
    """
    if len(images) != len(labels):
        raise ValueError(f"{len(images)} images but {len(labels)} labels")
    if not 0 < batch_size <= len(images):
        raise ValueError(f"batch size {batch_size} is not between 1 and the number of images, {len(images)}")
    return _batches(images, labels, batch_size, seed, start)


def _batches(
    images: np.ndarray, labels: np.ndarray, batch_size: int, seed: int, start: int
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    random = np.random.RandomState(
        seed
    )  # its streams are frozen across NumPy versions; default_rng's are not
    epoch, first = divmod(start, len(images) // batch_size)
    for _ in range(epoch):
        random.permutation(len(images))
    while True:
        order = random.permutation(len(images))
        for batch in range(first, len(images) // batch_size):
            rows = order[batch * batch_size : (batch + 1) * batch_size]
            yield standardise(images[rows]), labels[rows]
        first = 0

"""The handwritten digits that ship inside scikit-learn, as images of the size CIFAR-10 has."""

from __future__ import annotations

import numpy as np

from tf2towers.data.errors import DataError

NUM_TEST = 297  # of 1797 images in all; the rest, 1500, are for training


def load_digits(split: str = "train") -> tuple[np.ndarray, np.ndarray]:
    """Images uint8 [n, 32, 32, 3] and labels int32 [n], n = 1500 for "train" and 297 for "test".

    A digit is 8x8 with grey levels 0..16. Each pixel becomes 3x3, and the 24x24 result gets a black border of
    4: the model's central crop of 24x24 is exactly the digit. The three colour channels are equal.
    """
    if split not in ("train", "test"):
        raise ValueError(f"split must be 'train' or 'test', not {split!r}")
    try:
        from sklearn import datasets
    except ImportError as error:
        raise DataError(
            "the embedded digits come with scikit-learn, which is not installed: `pip install scikit-learn`, "
            "or name a directory with the binary CIFAR-10 by --data_dir"
        ) from error
    digits = datasets.load_digits()
    grey = np.asarray(digits.images)  # float64 [1797, 8, 8]
    grey = np.rint(grey * (255.0 / 16.0)).astype(np.uint8)
    grey = grey.repeat(3, axis=1).repeat(3, axis=2)
    grey = np.pad(grey, ((0, 0), (4, 4), (4, 4)), mode="constant")
    images = np.repeat(grey[..., np.newaxis], 3, axis=3)
    labels = np.asarray(digits.target).astype(np.int32)
    rows = slice(None, -NUM_TEST) if split == "train" else slice(-NUM_TEST, None)
    return images[rows], labels[rows]

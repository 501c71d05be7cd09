"""Training images in plain NumPy, shared by the legacy and the modern trainer.

    images, labels = load("")                              # scikit-learn's handwritten digits, no network
    images, labels = load("/data/cifar-10-batches-bin")    # the real CIFAR-10, binary version
    for batch_images, batch_labels in batches(images, labels, batch_size=64, seed=0): ...

Whatever the source: images uint8 [n, 32, 32, 3], labels int32 [n]; batches as batches.py says. The files here
stay importable in Python 3.7 and free of TensorFlow, because the legacy trainer runs on a real TF 1.15 too.
"""

from __future__ import annotations

import numpy as np

from tf2towers.data.batches import IMAGE_SIZE, batches, standardise
from tf2towers.data.cifar10 import load_cifar10
from tf2towers.data.digits import load_digits
from tf2towers.data.errors import DataError

__all__ = [
    "IMAGE_SIZE",
    "NUM_CLASSES",
    "DataError",
    "batches",
    "load",
    "load_cifar10",
    "load_digits",
    "standardise",
]

NUM_CLASSES = 10


def load(data_dir: str = "", split: str = "train") -> tuple[np.ndarray, np.ndarray]:
    """CIFAR-10 from `data_dir`, or the embedded digits where that is empty; `split` is "train" or "test"."""
    return load_cifar10(data_dir, split) if data_dir else load_digits(split)

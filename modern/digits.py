"""scikit-learn's handwritten digits, in the shape of CIFAR-10. Without scikit-learn: ten patterns, with noise."""

import numpy as np


def load(split: str = "train") -> tuple[np.ndarray, np.ndarray]:
    """Images uint8 [n, 32, 32, 3] and labels int32 [n]: digits of 8x8, each pixel 3x3, with a black border of 4."""
    try:
        from sklearn.datasets import load_digits

        levels, labels = load_digits().images, load_digits().target
    except ImportError:
        if split == "train":
            print("scikit-learn is not installed: training on made-up images (--data_dir names real ones)")
        random = np.random.RandomState(0)
        labels, patterns = random.randint(0, 10, 1797), random.randint(0, 17, (10, 8, 8))
        levels = np.clip(patterns[labels] + random.randint(-6, 7, (len(labels), 8, 8)), 0, 16)
    grey = np.rint(levels * (255.0 / 16.0)).astype(np.uint8).repeat(3, axis=1).repeat(3, axis=2)
    images = np.repeat(np.pad(grey, ((0, 0), (4, 4), (4, 4)))[..., np.newaxis], 3, axis=3)
    rows = slice(1500) if split == "train" else slice(1500, None)
    return images[rows], labels[rows].astype(np.int32)

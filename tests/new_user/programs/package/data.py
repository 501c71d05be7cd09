"""Batches of random numbers."""

import numpy as np

SIZE = 12


def batches(count):
    rng = np.random.RandomState(1)
    return rng.rand(count, 16, SIZE).astype("float32"), rng.randint(0, 3, (count, 16))

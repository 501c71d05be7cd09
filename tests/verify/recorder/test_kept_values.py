"""What a run keeps of large arrays once it has written much."""

from __future__ import annotations

import numpy as np
import pytest

from tf2towers.verify.recorder.values import Keeper


@pytest.mark.parametrize(("rounded", "same"), [(False, False), (True, True)])
def test_a_large_array_in_part(rounded, same):
    """A digest tells every bit, and nothing of how near two arrays are that two TensorFlows have made."""
    one = np.linspace(0, 1, 100_000, dtype=np.float32).reshape(100, 1000)
    [(left, ours)], [(right, theirs)] = (
        Keeper(rounded=rounded, most=0).kept("w", array) for array in (one, one * np.float32(1 + 1e-6))
    )
    assert left == right == ("w" if rounded else "digest|w")
    assert ours.size < 2048 and np.allclose(ours, theirs, rtol=1e-5) is same

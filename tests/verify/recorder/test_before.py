"""The variables to which a run is set before each of its session calls."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.verify.calls.recordings import call, run
from tf2towers.verify.recorder.writing import ALL_UP, FAR, FAR_UNITS, Before

W = np.array([1.0, 0.0, -3.0], np.float32)


def recorded(folder: Path) -> Path:
    calls = [
        call(trains=False, variable_w=W, variable_mean=W, variable_step=np.int64(0)),
        call(variable_w=2 * W, variable_step=np.int64(1)),
        call(before_mean=3 * W, variable_w=4 * W),
    ]
    run(folder, *calls, trainable=["w"])
    return folder


def test_a_call_begins_with_what_the_calls_before_it_have_left(tmp_path: Path) -> None:
    """And with what other workers have changed since then; integers are left alone."""
    before = Before(str(recorded(tmp_path)))
    assert before.values(0, 0) == {}
    for place, wanted in enumerate(
        ({"w": W, "mean": W}, {"w": 2 * W, "mean": 3 * W}, {"w": 4 * W, "mean": 3 * W})
    ):
        np.testing.assert_equal(before.values(0, place + 1), wanted)
    assert before.values(1, 4) == {}  # of another session


def test_weights_are_moved_by_one_unit_in_their_last_place(tmp_path: Path) -> None:
    values = [Before(str(recorded(tmp_path)), rounded=seed).values(0, 1) for seed in (2, 2, 5)]
    np.testing.assert_equal(values[0], values[1])
    assert any((values[0][name] != values[2][name]).any() for name in values[0])
    for found in values:
        np.testing.assert_equal(found["mean"], W)
        np.testing.assert_array_max_ulp(found["w"], W, 2)
        assert list(found["w"] == W) == [False, True, False]


def test_weights_are_moved_by_more_units(tmp_path: Path) -> None:
    found = Before(str(recorded(tmp_path)), FAR).values(0, 1)
    units = (found["w"] - W)[[0, 2]] / np.spacing(W)[[0, 2]]
    assert (np.abs(units) >= FAR_UNITS).all() and (np.abs(units) <= 2 * FAR_UNITS).all()


def test_weights_are_moved_up(tmp_path: Path) -> None:
    found = Before(str(recorded(tmp_path)), ALL_UP).values(0, 1)
    assert list(found["w"] > W) == [True, False, True]
    np.testing.assert_array_max_ulp(found["w"], W, 2)

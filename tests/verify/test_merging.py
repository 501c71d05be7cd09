"""What workers have recorded, put together."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tf2towers.verify.cluster.merging import merged
from tf2towers.verify.recorder.writing import Writer


def _writer(folder: Path, worker: int) -> Writer:
    place = folder / f"worker-{worker}"
    writer = Writer(str(place))
    writer.steps = len(list(place.iterdir()))
    return writer


def _update(folder: Path, worker: int, weight: float, when: float, step: int | None, **more: object) -> None:
    writer = _writer(folder, worker)
    counted = {} if step is None else {"after|global_step": np.int64(step)}
    arrays = {
        "variable|w": np.float32(weight - 1),
        "after|w": np.float32(weight),
        "gradient|w": np.float32(0.5),
    }
    writer.step({**arrays, **counted, **more, "when|": when})


@pytest.mark.parametrize("numbered", [True, False])
def test_updates_are_in_order(numbered: bool, tmp_path: Path) -> None:
    """Of the global step; in a trainer that has none, of time."""
    for worker, weight, when in ((0, 1, 10.0), (0, 3, 30.0), (1, 2, 5.0 if numbered else 20.0)):
        step = weight if numbered else None
        _update(tmp_path, worker, weight, when, step, **{"loss|0": np.float32(weight)})
    steps = list(merged(tmp_path, 3))
    assert [float(step.after["w"]) for step in steps] == [1, 2, 3]
    assert [float(step.losses[0]) for step in steps] == [1, 2, 3]
    assert [float(step.variables["w"]) for step in steps] == [0, 1, 2]


def test_a_synchronous_update_has_what_each_worker_handed_in(tmp_path: Path) -> None:
    """And the slots that the update before it has left: it is recorded with its weights alone."""
    for number in (1, 2):
        own = [
            {
                "loss|0": np.float32(number + worker),
                "tower gradient|0|w": np.float32(worker),
                "together|": True,
            }
            for worker in (0, 1)
        ]
        _update(tmp_path, 0, number, number, number, **{"after|w/Adam": np.float32(10 * number), **own[0]})
        _writer(tmp_path, 1).step(own[1])
    first, second = merged(tmp_path, 2)
    assert ([*map(float, first.losses)], [*map(float, second.losses)]) == ([1, 2], [2, 3])
    assert [float(part["w"]) for part in second.tower_gradients] == [0, 1]
    assert float(second.variables["w/Adam"]) == 10
    assert "w/Adam" not in first.variables


def test_rows_of_a_synchronous_update_are_added_up(tmp_path: Path) -> None:
    rows = {"gradient|t//values": np.float32([[1], [2], [4]]), "gradient|t//indices": np.int64([2, 0, 2])}
    own = {"loss|0": np.float32(1), "together|": True}
    _update(tmp_path, 0, 1, 1, 1, **{"variable|t": np.zeros([3, 1], np.float32), **rows, **own})
    _writer(tmp_path, 1).step(own)
    (step,) = merged(tmp_path, 1)
    assert sorted(step.gradients) == ["t", "w"]
    assert step.gradients["t"].dtype == np.float32 and step.gradients["t"].tolist() == [[2], [0], [5]]


def test_a_missing_update_is_an_error(tmp_path: Path) -> None:
    _update(tmp_path, 0, 1, 1.0, 1)
    _update(tmp_path, 0, 3, 2.0, 3)
    with pytest.raises(ValueError, match="updates 1 to 2"):
        list(merged(tmp_path, 2))

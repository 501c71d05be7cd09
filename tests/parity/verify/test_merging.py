"""What workers have recorded, put together."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tf2towers.parity.cluster.merging import merged
from tf2towers.recorder.writing import Writer


def _update(folder: Path, worker: int, weight: float, when: float, step: int | None, **more: object) -> None:
    place = folder / f"worker-{worker}" / "updates"
    writer = Writer(str(place))
    writer.steps = len(list(place.iterdir()))
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
        _update(tmp_path, 0, number, number, number, **{"after|w/Adam": np.float32(10 * number)})
    for worker in (0, 1):
        own = Writer(str(tmp_path / f"worker-{worker}" / "own"))
        for loss in (1.0, 2.0):
            own.step({"loss|0": np.float32(loss + worker), "gradient|w": np.float32(worker)})
    first, second = merged(tmp_path, 2)
    assert ([*map(float, first.losses)], [*map(float, second.losses)]) == ([1, 2], [2, 3])
    assert [float(part["w"]) for part in second.tower_gradients] == [0, 1]
    assert float(second.variables["w/Adam"]) == 10
    assert "w/Adam" not in first.variables


def test_a_missing_update_is_an_error(tmp_path: Path) -> None:
    _update(tmp_path, 0, 1, 1.0, 1)
    _update(tmp_path, 0, 3, 2.0, 3)
    with pytest.raises(ValueError, match="updates 1 to 2"):
        list(merged(tmp_path, 2))

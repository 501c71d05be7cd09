"""What workers have recorded, written, read and put together."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tf2towers.parity.updates import Update, WorkerRecording, load_workers, merge


def _update(weight: float, when: float, step: int | None = None) -> Update:
    after = {"w": np.float32(weight)} | ({} if step is None else {"global_step": np.int64(step)})
    return Update({"w": np.float32(weight - 1)}, {"w": np.float32(0.5)}, after, np.float32(weight), when)


def test_a_worker_is_read_as_it_was_written(tmp_path: Path) -> None:
    draws = [[np.ones(3, np.float32), np.arange(2)], []]
    one = WorkerRecording([_update(1, 5.0)], [], [{"x:0": np.ones(2)}, {}], draws)
    one.save(tmp_path / "worker-0.npz")
    (read,) = load_workers(tmp_path)
    assert (read.updates[0].when, float(read.updates[0].after["w"])) == (5.0, 1.0)
    assert [len(step) for step in read.draws] == [2]
    assert read.draws[0][1].tolist() == [0, 1]
    assert list(read.inputs[0]) == ["x:0"]


@pytest.mark.parametrize("numbered", [True, False])
def test_updates_are_in_order(numbered: bool) -> None:
    """Of the global step; in a trainer that has none, of time."""
    first = [_update(1, 10.0, 1 if numbered else None), _update(3, 30.0, 3 if numbered else None)]
    second = [_update(2, 5.0 if numbered else 20.0, 2 if numbered else None)]
    found = merge([WorkerRecording(first), WorkerRecording(second)], 3)
    assert [float(step.after["w"]) for step in found.steps] == [1, 2, 3]
    assert [float(step.losses[0]) for step in found.steps] == [1, 2, 3]


def test_a_missing_update_is_an_error() -> None:
    with pytest.raises(ValueError, match="updates 1 to 2"):
        merge([WorkerRecording([_update(1, 1.0, 1), _update(3, 2.0, 3)])], 2)

"""What a TF1 graph leaves the order of open comes as it was built, on compat.v1 and on a real TensorFlow 1."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

ROOT = Path(__file__).parents[3]
TF1 = os.environ.get("TF2TOWERS_TF1_PYTHON", "")
X = [1.0, 2.0, 3.0, 4.0]


@pytest.fixture(scope="module", params=["compat.v1", "TensorFlow 1"])
def found(request: pytest.FixtureRequest) -> dict[str, Any]:
    if request.param == "TensorFlow 1" and not TF1:
        pytest.skip("TF2TOWERS_TF1_PYTHON names no interpreter")
    python, how = (TF1, []) if request.param == "TensorFlow 1" else (sys.executable, ["stand_ins"])
    done = subprocess.run(
        [python, str(Path(__file__).with_name("drive_order.py")), str(ROOT), *how],
        capture_output=True, text=True, check=False,
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "TF2_BEHAVIOR": "0"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def test_every_run_is_in_built_order(found: dict[str, Any]) -> None:
    mean = branch = momentum = 0.0
    weight = 1.0
    for number, (run, values) in enumerate(zip(found["runs"], found["values"], strict=True)):
        velocities = []
        for x in X:
            mean -= (mean - x) * 0.75  # by halves, twice
            branch = branch * 0.5 + x if x > 1.5 else branch
            momentum = momentum * 0.5 + x
            velocities.append(2 * momentum)
        assert run == [
            pytest.approx(velocities),
            pytest.approx(10 * weight),
        ]  # what it reads was there before
        weight -= 0.25 * 2 * weight * X[0]
        assert values == pytest.approx([mean, branch, momentum, weight], abs=1e-5)
        assert found["batches"][number] == 2 * [4 * number + tower for tower in range(4)]


def test_what_a_run_does_not_need_is_not_run(found: dict[str, Any]) -> None:
    mean, branch, new_mean, new_branch, *taken = found["alone"]
    assert (new_mean, new_branch) == pytest.approx((mean - (mean - 3) * 0.75, branch * 0.5 + 4))
    assert taken == [80, 81]
    assert "does not follow partial_run" in found["in parts"]


def test_loops_draw_one_iteration_after_the_other(found: dict[str, Any]) -> None:
    first, *others = found["draws"]
    assert len(set(first)) > 200
    assert all(other == first for other in others)


def test_names_without_an_order_are_reported(found: dict[str, Any]) -> None:
    assert [name for name in found["open"] if len(name) == 1] == ["a", "b", "m", "w"]
    assert len(found["open"]) == 6

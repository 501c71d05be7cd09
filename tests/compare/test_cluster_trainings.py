"""A real parameter-server script and its migration, side by side as clusters."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from .conftest import ROOT, Start

pytest.importorskip("tensorflow")
pytest.importorskip("tqdm")
pytestmark = [
    pytest.mark.tensorflow,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="finds processes in /proc"),
]
LEGACY = ROOT / "legacy" / "mnist_monitored.py"
SMALL = ["--train_steps=10000", "--batch_size=6", "--hidden_units=16", "--log_dir=/tmp/mnist_side_by_side"]


def compared(start: Start, folder: Path, options: list[str], arguments: list[str]) -> dict[str, Any]:
    migrate = [
        sys.executable,
        "-m",
        "tf2towers",
        "migrate",
        "-o",
        str(folder / "out"),
        str(LEGACY),
    ]
    subprocess.run(migrate, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    pair = [str(LEGACY), str(folder / "out" / LEGACY.name)]
    numbers = folder / "numbers.json"
    process = start("--json", str(numbers), "--timeout", "120", *options, *pair, "--", *arguments)
    _, errors = process.communicate()
    assert process.returncode == 0, errors
    found = json.loads(numbers.read_text())
    assert isinstance(found, dict)
    return found


def losses_of(side: dict[str, Any]) -> list[float]:
    return [step["loss"] for step in side["each_step"] if step["loss"] is not None]


@pytest.mark.long
def test_asynchronous(start: Start, tmp_path: Path) -> None:
    """Each worker's step counts; the migrated side's losses, summed up on a parameter server, are seen now and then."""
    found = compared(start, tmp_path, ["--steps", "40"], ["--issync=0", *SMALL])
    assert found["legacy"]["steps"] == found["modern"]["steps"] == 40
    for side in ("legacy", "modern"):
        assert found[side]["peak"] > 3 * 300 * 2**20
        assert losses_of(found[side])[0] > 0
    assert "a step is one worker's update" in found["how"]
    assert "with the same initial weights" in found["how"]


@pytest.mark.long
def test_asynchronous_to_the_end(start: Start, tmp_path: Path) -> None:
    """Steps that worker 0 computes itself count, and those that it sends to the other worker."""
    found = compared(start, tmp_path, [], ["--issync=0", *SMALL, "--train_steps=60"])
    for side in ("legacy", "modern"):
        assert 60 <= found[side]["steps"] <= 62  # whoever is under way when it ends has one more


def test_synchronous(start: Start, tmp_path: Path) -> None:
    """Updates that both workers make count once."""
    found = compared(start, tmp_path, ["--steps", "12"], ["--issync=1", *SMALL])
    for side in ("legacy", "modern"):
        summary = found[side]
        assert (summary["steps"], summary["towers"]) == (12, 2)
        assert len(losses_of(summary)) >= 11
    assert "an update that all workers make together" in found["how"]

"""A real parameter-server script and its migration, side by side as clusters."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from .conftest import ROOT, Start, compared

pytest.importorskip("tensorflow")
pytestmark = [
    pytest.mark.tensorflow,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="finds processes in /proc"),
]
LEGACY = ROOT / "legacy" / "mnist_monitored.py"
SMALL = ["--train_steps=10000", "--batch_size=6", "--hidden_units=16", "--log_dir=/tmp/mnist_side_by_side"]


def of_migrated(start: Start, folder: Path, *arguments: str) -> dict[str, Any]:
    migrate = [sys.executable, "-m", "tf2towers", "migrate", "-o", str(folder / "out"), str(LEGACY)]
    subprocess.run(migrate, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return compared(start, folder, str(LEGACY), str(folder / "out" / LEGACY.name), *arguments)


def losses_of(side: dict[str, Any]) -> list[float]:
    return [step["loss"] for step in side["each_step"] if step["loss"] is not None]


@pytest.mark.long
def test_asynchronous_trainings(start: Start, tmp_path: Path) -> None:
    """Each worker's step counts; the migrated side's losses, summed up on a parameter server, are seen now and then."""
    found = of_migrated(start, tmp_path, "--steps", "40", "--", "--issync=0", *SMALL)
    assert found["legacy"]["steps"] == found["modern"]["steps"] == 40
    for side in ("legacy", "modern"):
        assert found[side]["peak"] > 3 * 300 * 2**20
        assert losses_of(found[side])[0] > 0
    assert "a step is one worker's update" in found["how"]
    assert "with the same initial weights" in found["how"]


def test_synchronous_trainings(start: Start, tmp_path: Path) -> None:
    """Updates that both workers make count once."""
    found = of_migrated(start, tmp_path, "--steps", "12", "--", "--issync=1", *SMALL)
    for side in ("legacy", "modern"):
        summary = found[side]
        assert (summary["steps"], summary["towers"]) == (12, 2)
        assert len(losses_of(summary)) >= 11
    assert "an update that all workers make together" in found["how"]

"""A trainer builds its graphs in the first steps; later ones build none (issue 13: no retracing after the second)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.runtime.tasks import run_python
from tf2towers.cli.main import main

pytestmark = pytest.mark.tensorflow

ROOT = Path(__file__).parents[2]
STEPS = 6


@pytest.mark.parametrize("which", ["migrated", "modern"])
def test_no_graph_after_the_second_step(which: str, tmp_path: Path) -> None:
    script = tmp_path / "cifar10_towers.py"
    if which == "modern":
        script = ROOT / "modern/cifar10_mirrored.py"
    else:
        assert main(["migrate", "-o", str(tmp_path), str(ROOT / "legacy/cifar10_towers.py")]) == 0
    flags = [
        "--num_gpus=2",
        "--batch_size=4",
        f"--max_steps={STEPS}",
        "--log_every=1",
        f"--train_dir={tmp_path}/train",
    ]
    out, errors = run_python(Path(__file__).with_name("count_graphs.py"), script, *flags)
    built = {int(step): int(count) for step, count in re.findall(r"\[step (\d+): (\d+) graphs\]", out)}
    assert list(built) == list(range(STEPS)), out + errors[-2000:]
    assert built[0] > 0
    assert built[STEPS - 1] == built[1]
    assert "[control: 6 graphs]" in out

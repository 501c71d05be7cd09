"""The steps of docs/modernizing.md: each is proved against the step before, or against the last one with sessions."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.verify.migrating import migrate_into
from tf2towers.launch.cluster import Shape
from tf2towers.report.parity_result import ParityResult
from tf2towers.verify.process import ENVIRONMENT
from tf2towers.verify.sides import Options
from tf2towers.verify.verify import verify

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

ROOT = Path(__file__).resolve().parents[2]
CIFAR = ["--num_gpus=2", "--batch_size=8", "--decay_steps=5", "--summary_every=4"]
SAVED = [*CIFAR, "--checkpoint_every=4"]
CLUSTER = ["--train_steps=10000", "--batch_size=20", "--hidden_units=16"]


class Step(NamedTuple):
    """A program, and what it is proved against: in the folder of the steps, or what `migrate` makes of a script."""

    before: str
    after: str
    flags: list[str]
    gradients_only: bool = False


STEPS = {
    "cifar10 1": Step("legacy/cifar10_towers.py", "docs/modernizing/cifar10/step1_decide.py", SAVED),
    "cifar10 2": Step(
        "docs/modernizing/cifar10/step1_decide.py", "docs/modernizing/cifar10/step2_module.py", SAVED
    ),
    "cifar10 3": Step(
        "docs/modernizing/cifar10/step2_module.py", "docs/modernizing/cifar10/step3_function.py", SAVED
    ),
    "cifar10 4": Step(
        "docs/modernizing/cifar10/step2_module.py", "docs/modernizing/cifar10/step4_datasets.py", SAVED
    ),
    # Keras adds up steps, each at its own learning rate, where TF1 adds up gradients
    "cifar10 5": Step(
        "docs/modernizing/cifar10/step2_module.py", "docs/modernizing/cifar10/step5_keras.py", SAVED, True
    ),
    "cifar10 6": Step(
        "docs/modernizing/cifar10/step2_module.py", "docs/modernizing/cifar10/step6_checkpoint.py", SAVED, True
    ),
    "modern": Step(
        "docs/modernizing/cifar10/step2_module.py", "modern/cifar10_mirrored.py", [*CIFAR, "--log_every=1"], True
    ),
    "mnist 1": Step("legacy/mnist_supervisor.py", "docs/modernizing/mnist/step1_decide.py", CLUSTER),
    "mnist 2": Step(
        "docs/modernizing/mnist/step1_decide.py", "docs/modernizing/mnist/step2_module.py", CLUSTER
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, ParityResult]:
    folder = tmp_path_factory.mktemp("modernizing")

    def run(name: str) -> ParityResult:
        step = STEPS[name]
        before, cluster = ROOT / step.before, "mnist" in name
        if before.parent.name == "legacy":
            migrate_into(before, folder / name)
            before = folder / name / before.name
        place = f"--{'log' if cluster else 'train'}_dir={folder / 'written'}"
        options = Options(
            steps=6, gradients_only=step.gradients_only, cluster=Shape(1, 2) if cluster else None
        )
        return verify(before, ROOT / step.after, [*step.flags, place], options)

    with ThreadPoolExecutor(2) as pool:
        return dict(zip(STEPS, pool.map(run, STEPS), strict=True))


@pytest.mark.parametrize("name", STEPS)
def test_the_step_changes_no_bit(name: str, results: dict[str, ParityResult]) -> None:
    result = results[name]
    assert result.outcome == "bitwise", (result.outcome, result.error, result.notes)
    kinds = {comparison.kind for comparison in result.comparisons}
    assert "gradient" in kinds
    assert ("variable" in kinds) != STEPS[name].gradients_only


def test_a_run_of_step_6_goes_on(tmp_path: Path) -> None:
    """Two steps, then two more, print the losses of four at once."""

    def losses(steps: int, name: str) -> list[str]:
        script = ROOT / "docs/modernizing/cifar10/step6_checkpoint.py"
        flags = [f"--max_steps={steps}", "--batch_size=8", "--log_every=1", f"--train_dir={tmp_path / name}"]
        done = subprocess.run(
            [sys.executable, str(script), *flags], env={**os.environ, **ENVIRONMENT},
            text=True, capture_output=True, timeout=300, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return re.findall(r"step \d+, loss = \S+", done.stdout)

    whole = losses(4, "whole")
    assert len(whole) == 4
    assert losses(2, "parts") + losses(4, "parts") == whole

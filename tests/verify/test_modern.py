"""Legacy towers against the modern twin, on the original's weights and batches at every step: the same gradients.

The learning rate drops at steps 5 and 10; there the twin's update differs by Keras's momentum.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from tf2towers.verify.recording import Recording
from tf2towers.verify.result_notes import new_result
from tf2towers.verify.rewrites.verdict import judge
from tf2towers.verify.sides import Options, Recorded, record_migrated, record_original

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

ROOT = Path(__file__).resolve().parents[2]
LEGACY, MODERN = ROOT / "legacy" / "cifar10_towers.py", ROOT / "modern" / "cifar10_mirrored.py"
STEPS, DROP, OLD_RATE, NEW_RATE = 12, 5, 0.02, 0.002
FLAGS = ["--decay_steps=5", "--batch_size=8", "--summary_every=50", "--log_every=1"]
RUNS = {
    "1 tower": ["--num_gpus=1"],
    "2 towers, batch norm": ["--num_gpus=2", "--batch_norm"],
    "4 towers, batch norm": ["--num_gpus=4", "--batch_norm"],
    "4 towers, no momentum": ["--num_gpus=4", "--momentum=0"],
}
#: of a variable's largest element, by rounding
ROUNDING = 1e-6


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Recorded, Recorded]]:
    """The steps of both trainers, by the name in RUNS; two runs at a time."""
    options = Options(steps=STEPS)

    def make(name: str) -> tuple[Recorded, Recorded]:
        folder = tmp_path_factory.mktemp("run")
        flags = [*FLAGS, *RUNS[name], f"--train_dir={folder / 'train'}"]
        original = record_original(LEGACY, flags, folder / "original", options)
        return original, record_migrated(MODERN, flags, folder / "modern", options, original.folder)

    with ThreadPoolExecutor(2) as pool:
        return dict(zip(RUNS, pool.map(make, RUNS), strict=True))


@pytest.mark.parametrize("name", RUNS)
def test_gradients_and_losses_on_the_same_weights_are_bitwise_equal(
    name: str, recorded: dict[str, tuple[Recorded, Recorded]]
) -> None:
    """At every step; with more than 2 replicas, too."""
    result = new_result(LEGACY, MODERN, [])
    judge(result, *recorded[name], Options(gradients_only=True))
    assert (result.outcome, result.steps, str(result.towers)) == ("bitwise", STEPS, name[0])
    assert {found.kind for found in result.comparisons} == {"input", "loss", "tower gradient", "gradient"}


def relative(expected: np.ndarray, got: np.ndarray) -> float:
    """The largest difference by the largest element; what is smaller than 0.01 counts as 0.01."""
    return float(np.abs(expected - got).max() / max(np.abs(expected).max(), 0.01))


@pytest.mark.parametrize("name", [name for name in RUNS if name != "4 towers, batch norm"])
def test_updates_are_tf1s_but_for_momentum_when_the_rate_drops(
    name: str, recorded: dict[str, tuple[Recorded, Recorded]]
) -> None:
    """TF1 takes the new rate of the whole sum of gradients, Keras goes on with steps that were made at the old one."""
    legacy, modern = (Recording.load(side.folder).steps for side in recorded[name])
    momentum = 0.0 if "no momentum" in name else 0.9
    differences = []
    for place, (step, other) in enumerate(zip(legacy, modern, strict=True)):
        if momentum and place > DROP:
            break
        for variable in step.gradients:
            expected = step.after[variable]
            if momentum and place == DROP:
                slot = step.variables[f"{variable}/Momentum"]
                expected = expected - momentum * (OLD_RATE - NEW_RATE) * slot
                differences.append(relative(step.after[variable], other.after[variable]))
            assert relative(expected, other.after[variable]) <= ROUNDING, (variable, place)
    assert not momentum or max(differences) > 0.1

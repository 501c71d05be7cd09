"""What the flags of the legacy trainer choose, in the original and migrated: summaries, updates, devices."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.verify.migrating import migrate_into
from tf2towers.report.parity_result import ParityResult
from tf2towers.verify.calls.call_comparison import Run
from tf2towers.verify.calls.verdict import judge
from tf2towers.verify.result_notes import new_result
from tf2towers.verify.sides import Options, record_calls

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

LEGACY = Path(__file__).resolve().parents[2] / "legacy" / "cifar10_towers.py"
FLAGS = ["--batch_size=8", "--batch_norm", "--summary_every=1", "--log_every=1", "--learning_rate=0.5"]
RUNS = {
    "all updates": ["--num_gpus=2", "--update_ops=all"],
    "variables on the first gpu": ["--num_gpus=2", "--variables=gpu"],
    "one tower": ["--num_gpus=1"],
}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, ParityResult]:
    """The verdicts on two steps, by the name in RUNS; two runs at a time."""
    folder = tmp_path_factory.mktemp("trainers")
    migrate_into(LEGACY, folder)
    options = Options(steps=2, scratch=folder / "scratch")
    scripts = {"original": LEGACY, "migrated": folder / LEGACY.name}

    def run(name: str, side: str) -> Run:
        flags = [*FLAGS, *RUNS[name], f"--train_dir={folder / name}"]
        return record_calls(
            scripts[side], flags, folder / f"{name} {side}", options, migrated=side == "migrated"
        )

    results = {name: new_result(LEGACY, scripts["migrated"], []) for name in RUNS}
    with ThreadPoolExecutor(2) as pool:
        runs = {(name, side): pool.submit(run, name, side) for name in RUNS for side in scripts}
    for name, result in results.items():
        judge(result, runs[name, "original"].result(), runs[name, "migrated"].result())
    return results


@pytest.mark.parametrize("name", RUNS)
def test_every_value_is_the_same(name: str, results: dict[str, ParityResult]) -> None:
    """Summaries have the tag of no tower, wherever the variables are and whosever updates run."""
    result = results[name]
    assert (result.outcome, result.error, result.diagnoses) == ("bitwise", "", [])
    tags = {found.name for found in result.comparisons if found.kind == "summary"}
    assert "total_loss (raw)" in tags and not any("tower" in tag for tag in tags)
    variables = {found.name for found in result.comparisons if found.kind == "variable"}
    assert {"conv1/moving_mean", "conv2/moving_variance", "global_step"} <= variables
    open_pairs = [note for note in result.notes if "leaves open the order of" in note]
    assert bool(open_pairs) == (name == "all updates")

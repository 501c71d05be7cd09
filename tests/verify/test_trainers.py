"""What the flags of the legacy trainer choose, in the original and migrated: summaries, updates, devices."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from tests.verify.migrating import migrate_into
from tf2towers.verify.process import ENVIRONMENT

tf = pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

ROOT = Path(__file__).resolve().parents[2]
LEGACY = ROOT / "legacy" / "cifar10_towers.py"
FLAGS = [
    "--batch_size=8",
    "--batch_norm",
    "--max_steps=1",
    "--summary_every=1",
    "--log_every=1",
    "--learning_rate=0.5",
]
RUNS = {
    "last": ["--num_gpus=2", "--update_ops=last"],
    "all": ["--num_gpus=2", "--update_ops=all"],
    "first gpu": ["--num_gpus=2", "--variables=gpu"],
    "one tower": ["--num_gpus=1"],
}
STATISTICS = ("conv1/moving_mean", "conv1/moving_variance", "conv2/moving_mean", "conv2/moving_variance")


class Run:
    """One step of a trainer: what is in its checkpoint and its event file, and what it printed."""

    def __init__(self, script: Path, folder: Path, flags: list[str]) -> None:
        done = subprocess.run(
            [sys.executable, str(script), *FLAGS, *flags, f"--train_dir={folder}"], text=True, capture_output=True,
            env={**os.environ, **ENVIRONMENT, "PYTHONPATH": str(ROOT)}, timeout=300, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        (self.loss,) = re.findall(r"step 0, loss = (\S+)", done.stdout)
        reader = tf.train.load_checkpoint(str(folder))
        self.state = {name: reader.get_tensor(name) for name in reader.get_variable_to_shape_map()}
        (path,) = folder.glob("events.out.tfevents.*")
        events = list(tf.compat.v1.train.summary_iterator(str(path)))
        self.tags = {value.tag for event in events for value in event.summary.value}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Run]:
    """By the side and the name in RUNS."""
    folder = tmp_path_factory.mktemp("trainers")
    migrate_into(LEGACY, folder / "migrated")
    scripts = {"legacy": LEGACY, "migrated": folder / "migrated" / LEGACY.name}
    jobs = {
        (side, name): (scripts[side], folder / f"{side} {name}", RUNS[name])
        for side in scripts
        for name in RUNS
    }
    with ThreadPoolExecutor(2) as pool:
        return dict(zip(jobs, pool.map(lambda job: Run(*job), jobs.values()), strict=True))


@pytest.mark.parametrize("name", RUNS)
def test_the_same_tags_without_any_towers_name(runs: dict[tuple[str, str], Run], name: str) -> None:
    legacy, migrated = runs["legacy", name], runs["migrated", name]
    assert legacy.tags == migrated.tags == runs["legacy", "last"].tags
    assert "total_loss (raw)" in legacy.tags and not any("tower" in tag for tag in legacy.tags)


@pytest.mark.parametrize("name", ["last", "first gpu", "one tower"])
def test_one_step_is_the_same_to_the_last_bit(runs: dict[tuple[str, str], Run], name: str) -> None:
    """Wherever the variables are."""
    legacy, migrated = runs["legacy", name], runs["migrated", name]
    assert legacy.loss == migrated.loss
    assert legacy.state.keys() <= migrated.state.keys()
    for variable, value in legacy.state.items():
        np.testing.assert_array_equal(migrated.state[variable], value, err_msg=variable)


@pytest.mark.parametrize("side", ["legacy", "migrated"])
def test_updates_of_all_towers(runs: dict[tuple[str, str], Run], side: str) -> None:
    """Both towers' updates move the statistics, in one of the orders that TF1 leaves open: one after the other, or each
    from the value before both. Weights are not touched by it."""
    last, alone, both = (runs[side, name].state for name in ("last", "one tower", "all"))
    for name in STATISTICS:
        start = np.float32(0.0 if "mean" in name else 1.0)
        first, second = (
            alone[name] - start,
            last[name] - start,
        )  # what each tower's update adds to the first value
        outcomes = [first + 0.9 * second, second + 0.9 * first, first + second]
        nearest = np.min([np.abs(both[name] - start - outcome) for outcome in outcomes], axis=0)
        assert nearest.max() < 1e-6, name
        assert np.abs(both[name] - last[name]).max() > 1e-3, name  # a control: it is not the last one's alone
    for name, value in last.items():
        if name not in STATISTICS:
            np.testing.assert_array_equal(both[name], value, err_msg=name)

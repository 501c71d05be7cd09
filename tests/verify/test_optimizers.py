"""TF1's other optimizers stay what they are, and the mistakes people make with them are caught."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.verify.conftest import LEGACY, STEPS, Pair, Run
from tests.verify.migrating import migrate_into
from tf2towers.verify.compare import compare
from tf2towers.verify.recording import Recording

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

MOMENTUM = "MomentumOptimizer(lr, FLAGS.momentum)"
OPTIMIZERS = {
    "Adam": "AdamOptimizer(lr)",
    "Adagrad": "AdagradOptimizer(lr)",
    "RMSProp": "RMSPropOptimizer(lr, momentum=0.5)",
}
FLAGS = ("--num_gpus=2", "--input=feed", "--learning_rate=0.003")


def edited(source: Path, folder: Path, old: str, new: str) -> Path:
    """A copy of the program's folder with one place of the trainer changed."""
    shutil.copytree(source, folder)
    script = folder / LEGACY.name
    text = script.read_text(encoding="utf-8")
    assert text.count(old) == 1, f"the edit no longer applies: {old!r}"
    script.write_text(text.replace(old, new), encoding="utf-8")
    return script


def checkpoint(run: Run) -> dict[str, np.ndarray]:
    """The last checkpoint that a run has written."""
    import tensorflow as tf

    reader = tf.train.load_checkpoint(str(run.train))
    return {name: reader.get_tensor(name) for name in reader.get_variable_to_shape_map()}


def not_equal(first: dict[str, np.ndarray], second: dict[str, np.ndarray]) -> set[str]:
    """The names whose bits differ; both sides must have the same names."""
    assert first.keys() == second.keys()
    return {name for name, value in first.items() if value.tobytes() != second[name].tobytes()}


def gradients_apart(original: Recording, other: Recording) -> list[int]:
    """The steps at which any gradient differs."""
    steps = zip(original.steps, other.steps, strict=True)
    return [place for place, (a, b) in enumerate(steps) if not_equal(a.gradients, b.gradients)]


@pytest.fixture(scope="module")
def programs(
    tmp_path_factory: pytest.TempPathFactory, record: Callable[..., Run]
) -> Callable[[str], tuple[Run, Path]]:
    """By the optimizer's name: the run of a legacy trainer that has it, and the folder of its migration."""
    made: dict[str, tuple[Run, Path]] = {}

    def make(name: str) -> tuple[Run, Path]:
        if name not in made:
            folder = tmp_path_factory.mktemp(name)
            legacy = edited(LEGACY.parent, folder / "legacy", MOMENTUM, OPTIMIZERS[name])
            migrate_into(legacy, folder / "migrated")
            made[name] = (record("legacy", legacy, FLAGS), folder / "migrated")
        return made[name]

    return make


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(optimizer, marks=[] if optimizer == "Adam" else pytest.mark.long)
        for optimizer in OPTIMIZERS
    ],
)
def test_bitwise_equal_with_every_optimizer(name: str, programs, record: Callable[..., Run]) -> None:
    """Every gradient of every step, and the last checkpoint: weights, slots, Adam's powers of beta, moving averages."""
    legacy, folder = programs(name)
    migrated = record("migrated", folder / LEGACY.name, FLAGS)
    assert gradients_apart(legacy.result(), migrated.result()) == []
    assert not_equal(checkpoint(legacy), checkpoint(migrated)) == set()
    assert {"Adam": "beta1_power", "Adagrad": "local3/weights/Adagrad"}.get(
        name, "local3/weights/RMSProp"
    ) in (checkpoint(legacy))


def test_keras_epsilon_in_adam_is_caught(programs, tmp_path: Path, record: Callable[..., Run]) -> None:
    """1e-7 for 1e-8: the first step's gradients are still equal, its weights are not."""
    legacy, folder = programs("Adam")
    mutant = edited(folder, tmp_path / "mutant", "AdamOptimizer(lr)", "AdamOptimizer(lr, epsilon=1e-7)")
    run = record("migrated", mutant, FLAGS)
    assert gradients_apart(legacy.result(), run.result()) == list(range(1, STEPS))
    assert "local3/weights" in not_equal(checkpoint(legacy), checkpoint(run))


def test_a_learning_rate_one_step_late_is_caught(
    tmp_path: Path, migrated: Path, record: Callable[..., Run], pair: Pair
) -> None:
    """Nothing differs before the drop at step 10, so a run that does not cross one would have missed it."""
    flags = ("--num_gpus=2", "--input=feed", "--batch_norm")
    late = edited(
        migrated, tmp_path / "late", "global_step, FLAGS.decay_steps,", "global_step, FLAGS.decay_steps + 1,"
    )
    original, other = pair(*flags)[0], record("migrated", late, flags).result()
    assert gradients_apart(original, other) == list(range(11, STEPS))
    assert any(not verdict.bitwise for verdict in compare(original, other))

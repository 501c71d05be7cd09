"""Negative controls: a seeded mistake in the migrated program that the comparison must catch, or it proves nothing."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.parity.conftest import LEGACY, Pair, Run
from tf2towers.parity.compare import compare
from tf2towers.parity.migrating import migrate_into

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

AVERAGE = "grads = average_gradients(grads)\n"
MODEL = "cifar10_model.py"
MISTAKES = {
    "sum for mean": (LEGACY.name, AVERAGE, "{0}{1}grads = [(2.0 * g, v) for g, v in grads]\n"),
    "a skipped replica": (
        LEGACY.name,
        AVERAGE,
        "grads = [(g if tower_index() == 0 else 0.0 * g, v) for g, v in grads]\n{1}{0}",
    ),
    "no averaging": (LEGACY.name, AVERAGE, "pass\n"),
    "a dropped regulariser": (MODEL, "wd=0.004", "wd=0.0"),
    "wrong batch-norm epsilon": (MODEL, "BATCH_NORM_EPSILON = 1e-3", "BATCH_NORM_EPSILON = 1e-4"),
    "a learning rate without steps": (LEGACY.name, "staircase=True", "staircase=False"),
    "statistics of the wrong tower": (LEGACY.name, "keep_statistics('last')", "keep_statistics('first')"),
}


def _mutant(folder: Path, migrated: Path, name: str, old: str, new: str) -> Path:
    shutil.copytree(migrated, folder, dirs_exist_ok=True)
    path = folder / name
    text = path.read_text(encoding="utf-8")
    assert old in text, f"the control no longer applies: {old!r} is not in {name}"
    for line in text.splitlines(keepends=True):
        if old.strip() in line:
            indent = line[: len(line) - len(line.lstrip())]
            text = text.replace(old, new.format(old, indent))
            break
    path.write_text(text, encoding="utf-8")
    return folder / LEGACY.name


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_seeded_mistake_is_caught(
    mistake: str, tmp_path: Path, migrated: Path, record: Callable[..., Run], pair: Pair
) -> None:
    flags = ("--num_gpus=2", "--input=feed", "--batch_norm")
    original, _ = pair(*flags)
    run = record("migrated", _mutant(tmp_path / "mutant", migrated, *MISTAKES[mistake]), flags)
    assert not all(verdict.bitwise for verdict in compare(original, run.result()))


def test_clipping_before_averaging_is_not_clipping_after(tmp_path: Path, record: Callable[..., Run]) -> None:
    """The legacy script clips what it has averaged; a program that clips in each tower first must be told apart."""
    clip = "grads = [(tf.clip_by_norm(g, 0.05), v) for g, v in grads]\n"
    legacy = tmp_path / "legacy"
    shutil.copytree(LEGACY.parent, legacy)
    text = LEGACY.read_text(encoding="utf-8")
    averaged = "        grads = average_gradients(tower_grads)\n"
    assert averaged in text
    (legacy / LEGACY.name).write_text(text.replace(averaged, averaged + "        " + clip), encoding="utf-8")
    migrated = tmp_path / "migrated"
    migrate_into(legacy / LEGACY.name, migrated)
    output = (migrated / LEGACY.name).read_text(encoding="utf-8")
    assert output.index(AVERAGE.strip()) < output.index("clip_by_norm"), "clipping stays after the averaging"
    mutant = tmp_path / "mutant"
    shutil.copytree(migrated, mutant)
    lines = output.splitlines(keepends=True)
    place = next(i for i, line in enumerate(lines) if AVERAGE.strip() in line)
    clips = next(i for i, line in enumerate(lines) if i > place and "clip_by_norm" in line)
    lines.insert(place, lines.pop(clips))
    (mutant / LEGACY.name).write_text("".join(lines), encoding="utf-8")
    flags = ("--num_gpus=2", "--input=feed", "--batch_norm")
    runs = [
        record("legacy", legacy / LEGACY.name, flags),
        record("migrated", migrated / LEGACY.name, flags),
        record("migrated", mutant / LEGACY.name, flags),
    ]
    original, after, before = (run.result() for run in runs)
    assert all(verdict.bitwise for verdict in compare(original, after))
    assert not all(verdict.bitwise for verdict in compare(original, before))

"""Runs of the legacy trainer and of its migration, each made once a session; two at a time, one a core."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tf2towers.parity.recording import Recording
from tf2towers.parity.run import Run, migrate_into

ROOT = Path(__file__).resolve().parents[2]
LEGACY = ROOT / "legacy" / "cifar10_towers.py"
STEPS = 22
FLAGS = [f"--max_steps={STEPS}", "--decay_steps=10", "--batch_size=8", "--summary_every=9", "--log_every=50"]

Pair = Callable[..., tuple[Recording, Recording]]


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the migrated legacy trainer."""
    folder = tmp_path_factory.mktemp("migrated")
    migrate_into(LEGACY, folder)
    return folder


@pytest.fixture(scope="session")
def record(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Run]:
    """Starts a recorded run of a trainer."""

    def start(side: str, script: Path, flags: Sequence[str], tower_order: bool = False) -> Run:
        folder = tmp_path_factory.mktemp(side)
        environment = {"TF2TOWERS_AVERAGING": "tower_order"} if tower_order else {}
        arguments = [*FLAGS, *flags, f"--train_dir={folder / 'train'}"]
        return Run(side, script, folder / "run.npz", arguments, environment)

    return start


@pytest.fixture(scope="session")
def pair(record: Callable[..., Run], migrated: Path) -> Pair:
    """(legacy, migrated) recordings for some flags; made once for the same flags."""
    made: dict[tuple[tuple[str, ...], bool], tuple[Recording, Recording]] = {}

    def both(*flags: str, tower_order: bool = False) -> tuple[Recording, Recording]:
        key = (flags, tower_order)
        if key not in made:
            runs = [
                record("legacy", LEGACY, flags),
                record("migrated", migrated / LEGACY.name, flags, tower_order),
            ]
            one, other = (run.result() for run in runs)
            made[key] = (one, other)
        return made[key]

    return both

"""Runs of the legacy trainer and of its migration, each made once a session; two at a time, one a core.

Neither is given anything of the other: same script, same flags, their own first weights and batches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import pytest

from tests.verify.migrating import migrate_into
from tf2towers.verify.recording import Recording
from tf2towers.verify.sides import Options, record_migrated, record_original

ROOT = Path(__file__).resolve().parents[2]
LEGACY = ROOT / "legacy" / "cifar10_towers.py"
STEPS = 22
FLAGS = [f"--max_steps={STEPS}", "--decay_steps=10", "--batch_size=8", "--summary_every=9", "--log_every=50"]
WHOLE = 10_000  # steps to record: the script ends by itself, with its last checkpoint


class Run:
    """A recorded run of a trainer, under way."""

    def __init__(
        self,
        pool: ThreadPoolExecutor,
        side: str,
        script: Path,
        folder: Path,
        flags: Sequence[str],
        tower_order: bool,
        original: Run | None = None,
    ) -> None:
        self.out, self.train = folder / "run", folder / "train"
        arguments = [*FLAGS, *flags, f"--train_dir={self.train}"]
        options = Options(steps=WHOLE, tower_order=tower_order)
        if side == "legacy":
            self._future = pool.submit(record_original, script, arguments, self.out, options)
        else:
            before = original.folder() if original is not None else None
            self._future = pool.submit(record_migrated, script, arguments, self.out, options, before)

    def folder(self) -> Path:
        """Where the recording is, once the run has ended."""
        return self._future.result().folder

    def result(self) -> Recording:
        """Waits for its end.

        Raises:
            RunFailed: it ended with an error.
        """
        return Recording.load(self.folder())


Pair = Callable[..., tuple[Recording, Recording]]


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the migrated legacy trainer."""
    folder = tmp_path_factory.mktemp("migrated")
    migrate_into(LEGACY, folder)
    return folder


@pytest.fixture(scope="session")
def record(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Run]]:
    """Starts a recorded run of a trainer."""
    with ThreadPoolExecutor(2) as pool:

        def start(
            side: str,
            script: Path,
            flags: Sequence[str],
            tower_order: bool = False,
            original: Run | None = None,
        ) -> Run:
            return Run(pool, side, script, tmp_path_factory.mktemp(side), flags, tower_order, original)

        yield start


@pytest.fixture(scope="session")
def legacy(record: Callable[..., Run]) -> Callable[..., Run]:
    """The legacy trainer's run for some flags; made once for the same flags."""
    return cache(lambda *flags: record("legacy", LEGACY, flags))


@pytest.fixture(scope="session")
def pair(record: Callable[..., Run], legacy: Callable[..., Run], migrated: Path) -> Pair:
    """(legacy, migrated) recordings for some flags; made once for the same flags."""

    @cache
    def both(*flags: str, tower_order: bool = False) -> tuple[Recording, Recording]:
        original, migrated_run = (
            legacy(*flags),
            record("migrated", migrated / LEGACY.name, flags, tower_order),
        )
        return original.result(), migrated_run.result()

    return both


@pytest.fixture(scope="session")
def lockstep(record: Callable[..., Run], legacy: Callable[..., Run], migrated: Path) -> Pair:
    """The same, with each step of the migrated trainer from the original's weights and batch."""

    def both(*flags: str) -> tuple[Recording, Recording]:
        original = legacy(*flags)
        recording = original.result()  # the migrated trainer is given it
        return recording, record("migrated", migrated / LEGACY.name, flags, original=original).result()

    return both

"""Runs of the legacy trainer, each made once a session; two at a time, one a core."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import pytest

from tf2towers.verify.recording import Recording
from tf2towers.verify.sides import Options, record_original

ROOT = Path(__file__).resolve().parents[2]
LEGACY = ROOT / "legacy" / "cifar10_towers.py"
STEPS = 22
FLAGS = [f"--max_steps={STEPS}", "--decay_steps=10", "--batch_size=8", "--summary_every=9", "--log_every=50"]
WHOLE = 10_000  # steps to record: the script ends by itself, with its last checkpoint


class Run:
    """A recorded run of the legacy trainer, under way."""

    def __init__(self, pool: ThreadPoolExecutor, folder: Path, flags: Sequence[str]) -> None:
        self.out, self.train = folder / "run", folder / "train"
        arguments = [*FLAGS, *flags, f"--train_dir={self.train}"]
        self._future = pool.submit(record_original, LEGACY, arguments, self.out, Options(steps=WHOLE))

    def folder(self) -> Path:
        """Where the recording is, once the run has ended."""
        return self._future.result().folder

    def result(self) -> Recording:
        """Waits for its end.

        Raises:
            RunFailed: it ended with an error.
        """
        return Recording.load(self.folder())


@pytest.fixture(scope="session")
def legacy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Run]]:
    """The legacy trainer's run for some flags; made once for the same flags."""
    with ThreadPoolExecutor(2) as pool:
        yield cache(lambda *flags: Run(pool, tmp_path_factory.mktemp("legacy"), flags))

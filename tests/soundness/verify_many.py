"""Verifies many programs in few processes: `tf2towers verify`, whose recorders are forks (tests/verify/forks.py)."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest import mock

if __package__ in (None, ""):
    sys.path.insert(1, str(Path(__file__).parents[2]))

from tests.verify.forks import Forks
from tf2towers.report.parity_result import ParityResult
from tf2towers.verify import sides
from tf2towers.verify.process import changed_environment
from tf2towers.verify.sides import Options
from tf2towers.verify.verify import verify

AT_ONCE = 2


@contextlib.contextmanager
def forked_recorders() -> Iterator[None]:
    """A context in which recorders begin as forks."""
    forks = Forks(sides.run, changed_environment)
    try:
        with mock.patch.object(sides, "run", forks):
            yield
    finally:
        forks.close()


def verify_all(
    pairs: Mapping[str, tuple[Path, Path, Sequence[str]]], options: Options | None = None
) -> dict[str, ParityResult]:
    """The verdicts, by the names of the pairs: (original, migrated, arguments of both)."""

    def one(name: str) -> ParityResult:
        original, migrated, arguments = pairs[name]
        return verify(original, migrated, arguments, options)

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return dict(zip(pairs, pool.map(one, pairs), strict=True))

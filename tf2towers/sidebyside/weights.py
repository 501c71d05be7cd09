"""The legacy program's first weights, recorded before the race, for the modern one to begin with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from tf2towers.parity.recording import FirstVariables
from tf2towers.parity.sides import Options, Recorded, record_original
from tf2towers.sidebyside.errors import has_resumed


def record_first_weights(
    script: Path,
    arguments: Sequence[str],
    folder: Path,
    python: str | None,
    timeout: float | None,
    tick: Callable[[], None],
) -> Path:
    """Runs it, as `tf2towers verify` does, until it has made a step.

    Args:
        script: the legacy one.
        arguments: its command line.
        folder: for the recording and what the script writes.
        python: an interpreter with a real TF 1; None: this one, through the stand-ins.
        timeout: seconds it has; None: 10 minutes.
        tick: called again and again; what it raises ends the run.

    Returns:
        The recording.

    Raises:
        RunFailed: it could not be recorded; the message says why.
        CompareError: it went on from a checkpoint.
    """
    options = one_step(folder, python, timeout)
    found = record_original(script, arguments, folder / "original", options, lambda *_: tick())
    return from_the_beginning(found, script)


def one_step(folder: Path, python: str | None, timeout: float | None) -> Options:
    """How the first weights are recorded."""
    options = Options(steps=1, legacy_python=python, scratch=folder / "scratch")
    if timeout is not None:
        options.timeout = timeout
    return options


def from_the_beginning(found: Recorded, script: Path) -> Path:
    """The recording's folder.

    Raises:
        CompareError: the script went on from a checkpoint.
    """
    step = FirstVariables(found.folder).get("global_step")
    if step is not None and int(step) > 0:
        raise has_resumed(script, int(step))
    return found.folder

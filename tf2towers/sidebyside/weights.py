"""The legacy program's first weights, recorded before the race, for the modern one to begin with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from tf2towers.launch.cluster import Shape
from tf2towers.parity.cluster.sides import record_side
from tf2towers.parity.recording import FirstVariables
from tf2towers.parity.sides import Options, record_original
from tf2towers.sidebyside.errors import has_resumed


def record_first_weights(
    script: Path,
    arguments: Sequence[str],
    folder: Path,
    python: str | None,
    timeout: float | None,
    shape: Shape | None,
    tick: Callable[[], None],
) -> Path:
    """Runs it, as `tf2towers verify` does, until it has made a step, every worker one.

    Args:
        folder: for the recording and what the script writes.
        python: an interpreter with a real TF 1; None: this one, through the stand-ins.
        timeout: seconds it has; None: 10 minutes.
        shape: of a cluster; None: it is one process.
        tick: called again and again, of a cluster at the end; what it raises ends the run.

    Returns:
        The recording.

    Raises:
        RunFailed: it could not be recorded; the message says why.
        CompareError: it went on from a checkpoint.
    """
    options = Options(
        steps=1, legacy_python=python, scratch=folder / "scratch", cluster=shape, progress=lambda *_: tick()
    )
    if timeout is not None:
        options.timeout = timeout
    place = folder / "original"
    if shape is None:
        found = record_original(script, arguments, place, options)
    else:
        try:
            found = record_side("legacy", script, arguments, place, options, seeded=True)
        finally:
            tick()
    step = FirstVariables(found.folder).get("global_step")
    if step is not None and int(step) > 0:
        raise has_resumed(script, int(step))
    return found.folder

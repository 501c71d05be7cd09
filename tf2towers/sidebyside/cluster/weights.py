"""The first weights of a legacy cluster, recorded before the race, for the modern one to begin with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from tf2towers.parity.cluster.sides import record_side
from tf2towers.parity.cluster.tasks import Shape
from tf2towers.parity.process import RunFailed
from tf2towers.sidebyside.weights import from_the_beginning, one_step

_SEEDED = Path(__file__).parents[1] / "watch" / "seeded.py"


def record_first_weights_of_cluster(
    script: Path,
    arguments: Sequence[str],
    folder: Path,
    python: str | None,
    timeout: float | None,
    shape: Shape,
    check: Callable[[], None],
) -> Path:
    """Runs it, as `tf2towers verify` does, until every worker has made a step.

    Args:
        script: the legacy one.
        arguments: its command line.
        folder: for the recording and what the script writes.
        python: an interpreter with a real TF 1; None: this one, through the stand-ins.
        timeout: seconds it has; None: 10 minutes.
        shape: of the cluster.
        check: called at the end; it raises where the run was interrupted.

    Returns:
        The recording.

    Raises:
        RunFailed: it could not be recorded; the message says why.
        CompareError: it went on from a checkpoint.
    """
    options = one_step(folder, python, timeout)
    try:
        arguments = [str(script.resolve()), *arguments]
        found = record_side("legacy", _SEEDED, arguments, folder / "original", options, shape)
    except RunFailed as problem:
        raise RunFailed(str(problem).replace(_SEEDED.name, script.name)) from None
    finally:
        check()
    return from_the_beginning(found, script)

"""One side of a proof as a process: in a group of its own, with a time limit, and nothing left of it."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tf2towers.launch.chatter import without_chatter
from tf2towers.launch.errors import LaunchError
from tf2towers.launch.process import GuardedProcess

ROOT = Path(__file__).resolve().parents[2]
#: oneDNN picks fused kernels by the graph around an op, and a session's graph is not a function's: off on both sides.
ENVIRONMENT = {"TF_ENABLE_ONEDNN_OPTS": "0", "TF_CPP_MIN_LOG_LEVEL": "3"}
_POLL = 0.05
#: what else is in the way of an error: the program's own log, which says of TF1's hooks when they begin and end
_LOGGED = re.compile(r"^(\[[\w ]+\] )?([IW]\d{4} |WARNING:tensorflow:|INFO:tensorflow:)")


class RunFailed(Exception):
    """A trainer could not be run to the end of its recording; the message says why and how it ended."""


def changed_environment() -> dict[str, str]:
    """What every process of a proof has in the place of this one's."""
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH", "")]))
    return {**ENVIRONMENT, "PYTHONPATH": path, "PYTHONHASHSEED": "0"}


def run(
    command: Sequence[str],
    log: Path,
    environment: Mapping[str, str],
    timeout: float,
    tick: Callable[[], object] | None = None,
) -> int:
    """Runs a command in a session of its own, which can ask nobody for input; nothing of it is left then.

    Args:
        log: where its output goes.
        environment: beside this process's own.
        timeout: seconds that it has.
        tick: called again and again.

    Returns:
        Its exit status.

    Raises:
        RunFailed: it cannot be started.
        TimeoutError: the time is over.
    """
    variables = {**os.environ, **changed_environment(), **environment}
    for name in ("TF_USE_LEGACY_KERAS", "TF2_BEHAVIOR"):  # the latter is left by an imported TensorFlow 2
        variables.pop(name, None)
    started = time.monotonic()
    try:
        process = GuardedProcess(command, variables, log)
    except LaunchError as problem:
        raise RunFailed(str(problem)) from None
    try:
        while (status := process.status()) is None:
            if time.monotonic() - started > timeout:
                raise TimeoutError
            if tick is not None:
                tick()
            time.sleep(_POLL)
        return status
    finally:
        process.end()


def last_lines(written: Sequence[str], count: int = 25) -> str:
    """The last lines of an output, without what TensorFlow says about itself."""
    return "\n".join([line for line in without_chatter(written) if not _LOGGED.search(line)][-count:])

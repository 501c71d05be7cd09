"""One program run as a cluster on this machine and recorded, worker by worker."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from tf2towers.parity.cluster.tasks import Shape, run_recorded
from tf2towers.parity.cluster.turnstile import Turnstile
from tf2towers.parity.continuous.recording import Run
from tf2towers.parity.continuous.sides import TITLES, Which, python_of, settings_of
from tf2towers.parity.process import RunFailed, last_lines
from tf2towers.parity.sides import RECORDER, Options, prepared


def record_cluster(
    which: Which,
    script: Path,
    arguments: Sequence[str],
    folder: Path,
    options: Options,
    shape: Shape,
    *,
    resource_variables: bool = False,
) -> Run:
    """Runs a script as a cluster, each task as `tf2towers launch` starts it, and records the workers' session calls.

    Args:
        which: the side.
        script, arguments: as the user starts a task, without the flags of `shape.task_flags`.
        folder: where the recordings go.
        options: how; `steps` are those of each worker.
        shape: of the cluster.
        resource_variables: of an original: it is given TF 2's kind of variables.

    Raises:
        RunFailed: a task failed, or made no session call.
    """
    began = time.monotonic()
    turnstile = Turnstile(shape.workers)
    given = {**settings_of(which, options, resource_variables), "turns": turnstile.address}
    try:
        command = [*prepared(folder, given, options), str(script.resolve()), *arguments]
        lines = run_recorded(
            f"{TITLES[which]}, {script.name},",
            python_of(which, options),
            RECORDER,
            command,
            folder,
            options,
            shape,
        )
    finally:
        turnstile.close()
    title = f"{TITLES[which]}, {script.name}, as a cluster:"
    workers = [folder / f"worker-{index}" for index in range(shape.workers)]
    if not all((one / "meta.json").exists() for one in workers):
        raise RunFailed(f"{title} not every worker came to its end; it wrote last:\n{last_lines(lines)}")
    made = Run(workers, time.monotonic() - began)
    if not made.calls:
        raise RunFailed(f"{title} it made no session call")
    return made

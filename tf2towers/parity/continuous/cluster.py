"""One program run as a cluster on this machine and recorded, worker by worker."""

from __future__ import annotations

import contextlib
import json
import shutil
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from tf2towers.launch.local import run_cluster
from tf2towers.parity.cluster.sides import Shape
from tf2towers.parity.cluster.turnstile import Turnstile
from tf2towers.parity.continuous.recording import Run
from tf2towers.parity.continuous.sides import TITLES, Which, settings_of
from tf2towers.parity.process import ENVIRONMENT, ROOT, RunFailed, last_lines
from tf2towers.parity.sides import Options
from tf2towers.recorder.cluster.task import RECORDED


class _Enough(Exception):
    """Every worker's part is recorded."""


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
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    given = settings_of(which, folder, options, resource_variables)
    environment = {**ENVIRONMENT, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "0"}
    if options.scratch is not None:
        environment["TMPDIR"] = str(options.scratch / folder.name / "tmp")
    legacy_python = options.legacy_python if which == "original" else None
    if legacy_python is not None:
        environment["TF2_BEHAVIOR"] = "0"  # a TensorFlow 2 leaves it at 1
    title = f"{TITLES[which]}, {script.name}, as a cluster:"
    lines: list[str] = []
    recorded: set[str] = set()

    def look(task: str, line: str) -> None:
        lines.append(f"[{task}] {line}")
        del lines[:-200]
        if line.strip() == RECORDED:
            recorded.add(task)
            if len(recorded) == shape.workers:
                raise _Enough

    began = time.monotonic()
    turnstile = Turnstile(shape.workers)
    settings = folder.with_suffix(".json")
    settings.write_text(json.dumps({**given, "turns": turnstile.address}), encoding="utf-8")
    try:
        with contextlib.suppress(_Enough):
            run = run_cluster(
                ROOT / "tf2towers" / "recorder" / "__main__.py",
                [str(settings.resolve()), str(script.resolve()), *arguments],
                shape.ps,
                shape.workers,
                environment,
                legacy_python or sys.executable,
                timeout=options.timeout,
                on_line=look,
                cwd=options.cwd,
                task_flags=shape.task_flags,
            )
            if run.status:
                raise RunFailed(f"{title} {run.reason}; it wrote last:\n{last_lines(lines)}")
    finally:
        turnstile.close()
        folder.with_suffix(".log").write_text("\n".join(lines), encoding="utf-8")
    workers = [folder / f"worker-{index}" for index in range(shape.workers)]
    if not all((one / "meta.json").exists() for one in workers):
        raise RunFailed(f"{title} not every worker came to its end; it wrote last:\n{last_lines(lines)}")
    made = Run(workers, time.monotonic() - began)
    if not made.calls:
        raise RunFailed(f"{title} it made no session call")
    return made

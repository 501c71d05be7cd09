"""One program run and recorded, from its beginning, with nothing set back: a process, or a cluster on this machine."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from tf2towers.verify.calls.recording import Run
from tf2towers.verify.cluster.tasks import in_turns, run_recorded
from tf2towers.verify.process import RunFailed, last_lines
from tf2towers.verify.sides import RECORDER, Options, prepared, run_recorder

Which = Literal["original", "migrated"]
TITLES = {"original": "the original", "migrated": "the migrated script"}


def record(
    which: Which,
    script: Path,
    arguments: Sequence[str],
    folder: Path,
    options: Options,
    *,
    resource_variables: bool = False,
) -> Run:
    """Runs a script and records its session calls, up to the one after `options.steps` that train.

    Of a cluster each task runs as `tf2towers launch` starts it, and the calls of the workers are recorded.

    Args:
        script, arguments: what is run; of a cluster without the flags that tell a task which it is.
        options: how; `lockstep`, `layers`, `double` and `names` do not apply.
        resource_variables: of an original: it is given TF 2's kind of variables.

    Raises:
        RunFailed: it could not be run, or made no call.
    """
    title = f"{TITLES[which]}, {script.name},"
    python = (options.legacy_python if which == "original" else None) or sys.executable
    settings: dict[str, object] = {
        "calls": which,
        "stand_ins": which == "original" and options.legacy_python is None,
        "resource_variables": resource_variables,
        "tower_order": options.tower_order,
        "rounded": options.legacy_python is not None,
    }
    command = [str(script.resolve()), *arguments]
    if options.cluster is None:
        command = [python, str(RECORDER), *prepared(folder, settings, options), *command]
        seconds = run_recorder(command, title, folder, options, lambda count: f"{count} session calls")
        run = Run([folder], seconds)
    else:
        workers, began = options.cluster.workers, time.monotonic()
        with in_turns(workers) as turns:
            command = [*prepared(folder, {**settings, **turns}, options), *command]
            lines = run_recorded(title, python, RECORDER, command, folder, options)
        title += " as a cluster:"
        folders = [folder / f"worker-{index}" for index in range(workers)]
        if not all((worker / "meta.json").exists() for worker in folders):
            raise RunFailed(f"{title} not every worker came to its end; it wrote last:\n{last_lines(lines)}")
        run = Run(folders, time.monotonic() - began)
    if not run.calls:
        raise RunFailed(f"{title} made no session call")
    return run

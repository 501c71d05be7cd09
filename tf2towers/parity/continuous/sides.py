"""One program run and recorded, from its beginning, with nothing set back."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from tf2towers.parity.continuous.recording import Run
from tf2towers.parity.process import RunFailed
from tf2towers.parity.sides import RECORDER, Options, Progress, prepared, run_recorder

Which = Literal["original", "migrated"]
TITLES = {"original": "the original", "migrated": "the migrated script"}


def record(
    which: Which,
    script: Path,
    arguments: Sequence[str],
    folder: Path,
    options: Options,
    progress: Progress | None = None,
    *,
    resource_variables: bool = False,
) -> Run:
    """Runs a script and records its session calls, up to the one after `options.steps` that train.

    Args:
        which: the side.
        script, arguments: what is run.
        folder: where the recording goes.
        options: how; `lockstep`, `layers`, `double` and `names` do not apply.
        progress: called with what runs, and its calls so far.
        resource_variables: of an original: it is given TF 2's kind of variables.

    Raises:
        RunFailed: it could not be run, or made no call.
    """
    settings = prepared(folder, settings_of(which, options, resource_variables), options)
    title = f"{TITLES[which]}, {script.name},"
    seconds = run_recorder(
        [python_of(which, options), str(RECORDER), *settings, str(script.resolve()), *arguments],
        title,
        folder,
        options,
        progress,
        lambda count: f"{count} session calls",
    )
    run = Run([folder], seconds)
    if not run.calls:
        raise RunFailed(f"{title} made no session call")
    return run


def settings_of(which: Which, options: Options, resource_variables: bool) -> dict[str, object]:
    """What the recorder is told."""
    return {
        "calls": which,
        "stand_ins": which == "original" and options.legacy_python is None,
        "resource_variables": resource_variables,
        "tower_order": options.tower_order,
    }


def python_of(which: Which, options: Options) -> str:
    """The interpreter that runs a side."""
    return (options.legacy_python if which == "original" else None) or sys.executable

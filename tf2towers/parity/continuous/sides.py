"""One program run and recorded, from its beginning, with nothing set back."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from tf2towers.parity.continuous.recording import Run
from tf2towers.parity.process import ROOT, Process, RunFailed
from tf2towers.parity.sides import Options, Progress

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
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    legacy_python = options.legacy_python if which == "original" else None
    given = settings_of(which, folder, options, resource_variables)
    environment = (
        {"TMPDIR": str(options.scratch / folder.name / "tmp")} if options.scratch is not None else {}
    )
    settings = folder.with_suffix(".json")
    settings.write_text(json.dumps(given), encoding="utf-8")
    process = Process(
        [
            legacy_python or sys.executable,
            str(ROOT / "tf2towers" / "recorder"),
            str(settings.resolve()),
            str(script.resolve()),
            *arguments,
        ],
        folder.with_suffix(".log"),
        environment,
        options.cwd,
    )
    title = f"{TITLES[which]}, {script.name},"

    def calls() -> int:
        return len(list(folder.glob("step-*.npz")))

    try:
        tick = None if progress is None else lambda: progress(TITLES[which], calls())
        status = process.wait(options.timeout, tick)
    except TimeoutError:
        raise RunFailed(
            f"{title} made {calls()} session calls within {options.timeout:g} s (--timeout) and was stopped; "
            f"it wrote last:\n{process.tail(8)}"
        ) from None
    if status or not (folder / "meta.json").exists():
        ended = f"signal {-status}" if status < 0 else f"exit status {status}"
        raise RunFailed(
            f"{title} ended with {ended} after {calls()} session calls; it wrote last:\n{process.tail()}"
        )
    run = Run([folder], process.seconds)
    if not run.calls:
        raise RunFailed(f"{title} made no session call")
    return run


def settings_of(which: Which, folder: Path, options: Options, resource_variables: bool) -> dict[str, object]:
    """What the recorder is told; the scratch folder is made."""
    given: dict[str, object] = {
        "out": str(folder.resolve()),
        "calls": which,
        "steps": options.steps,
        "seed": options.seed,
        "stand_ins": which == "original" and options.legacy_python is None,
        "resource_variables": resource_variables,
        "tower_order": options.tower_order,
    }
    if options.scratch is not None:
        own = options.scratch / folder.name
        (own / "tmp").mkdir(parents=True, exist_ok=True)
        given["scratch"] = str(own)
    return given

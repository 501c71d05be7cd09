"""Runs one task of a migrated parameter-server script unchanged, and records it where it is a worker.

    python tf2towers/parity/cluster/migrated_task.py SETTINGS.json SCRIPT [ARGS]

JOB_NAME and TASK_INDEX in the environment say which task it is, as `tf2towers launch` sets them. SETTINGS.json: {"out":
folder, "steps": K, "replay": folder or null, "inputs": folder or null, "lockstep": bool, "tower_order": bool,
"on_runtime": bool, "scratch": folder or null}, see `sides`; what is written is in `merging`. A task goes on when there
are K steps: it is stopped with the cluster.
"""

from __future__ import annotations

import json
import os
import runpy
import sys
from pathlib import Path
from typing import Any

#: a line of worker 0's output, where its process makes the updates of all workers (else recorder.running.RECORDED)
RECORDED_ALL = "tf2towers: recorded, all workers"


def main(argv: list[str]) -> int:
    """Runs the task; its status."""
    path, script, *arguments = argv
    settings = json.loads(Path(path).read_text(encoding="utf-8"))
    sys.argv = [script, *arguments]
    sys.path[0] = str(Path(script).resolve().parent)
    from tf2towers.recorder.overlay import keep_writes

    keep_writes(settings)
    recorder = _recorder(settings) if os.environ["JOB_NAME"] == "worker" else None
    try:
        runpy.run_path(script, run_name="__main__")
    except SystemExit as stop:
        if stop.code:
            print(stop.code, file=sys.stderr)
            return stop.code if isinstance(stop.code, int) else 1
    finally:
        if recorder is not None:
            recorder.finish()
    return 0


def _recorder(settings: dict[str, Any]) -> Any:
    """It writes a line as soon as it has so many steps as were asked for."""
    from tf2towers.recorder.running import RECORDED

    recorder: Any
    if settings["on_runtime"]:
        from tf2towers.parity.cluster.migrated_worker import MigratedWorkerRecorder

        recorder = MigratedWorkerRecorder(int(os.environ["TASK_INDEX"]), settings)
    else:
        from tf2towers.parity.cluster.function_worker import FunctionWorkerRecorder

        recorder = FunctionWorkerRecorder(int(os.environ["TASK_INDEX"]), settings)
    told: list[bool] = []

    def look() -> None:
        if recorder.steps >= settings["steps"] and not told:
            told.append(True)
            recorder.finish()
            print(f"\n{RECORDED_ALL if recorder.records_all else RECORDED}", flush=True)

    recorder.on_step = look
    return recorder


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

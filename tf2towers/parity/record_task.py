"""Runs one task of a parameter-server script unchanged, and records it where it is a worker.

    python tf2towers/parity/record_task.py legacy|migrated FOLDER SCRIPT [ARGS]

JOB_NAME and TASK_INDEX in the environment say which task it is, as `tf2towers launch` sets them. Written to FOLDER:
worker-0.npz, worker-1.npz, ... (see `updates`).
"""

from __future__ import annotations

import os
import runpy
import sys
from pathlib import Path
from typing import Any


def main(argv: list[str]) -> int:
    """Runs the task; its status."""
    side, folder, script, *arguments = argv
    sys.argv = [script, *arguments]
    sys.path[0] = str(Path(script).resolve().parent)
    worker = int(os.environ["TASK_INDEX"])
    recorder = _recorder(side, worker) if os.environ["JOB_NAME"] == "worker" else None
    try:
        runpy.run_path(script, run_name="__main__")
    except SystemExit as stop:
        if stop.code:
            print(stop.code, file=sys.stderr)
            return stop.code if isinstance(stop.code, int) else 1
    if recorder is not None:
        recorder.finish().save(Path(folder, f"worker-{worker}.npz"))
    return 0


def _recorder(side: str, worker: int) -> Any:
    if side == "legacy":
        from tf2towers.parity.record_legacy_worker import LegacyWorkerRecorder

        return LegacyWorkerRecorder(worker)
    from tf2towers.parity.record_migrated_worker import MigratedWorkerRecorder

    return MigratedWorkerRecorder(worker)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

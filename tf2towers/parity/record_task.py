"""Runs one task of a parameter-server script unchanged, and records it where it is a worker.

    python tf2towers/parity/record_task.py legacy|migrated FOLDER SCRIPT [ARGS]

JOB_NAME and TASK_INDEX in the environment say which task it is, as `tf2towers launch` sets them. Written to FOLDER:
worker-0.npz, worker-1.npz, ... (see `updates`). What else is in the environment: see `clusters`.
"""

from __future__ import annotations

import os
import runpy
import sys
from pathlib import Path
from typing import Any

from tf2towers.parity.clusters import ENOUGH, RECORDED, RECORDED_ALL, SCRATCH, STAND_INS


def main(argv: list[str]) -> int:
    """Runs the task; its status."""
    side, folder, script, *arguments = argv
    sys.argv = [script, *arguments]
    sys.path[0] = str(Path(script).resolve().parent)
    if side == "legacy" and STAND_INS in os.environ:
        from tf2towers import stand_ins

        stand_ins.install()
    if SCRATCH in os.environ:
        _keep_writes(os.environ[SCRATCH], folder)
    worker = int(os.environ["TASK_INDEX"])
    recorder = _recorder(side, worker) if os.environ["JOB_NAME"] == "worker" else None
    path = Path(folder, f"worker-{worker}.npz")
    if recorder is not None and ENOUGH in os.environ:
        _tell_when_enough(recorder, int(os.environ[ENOUGH]), path)
    try:
        runpy.run_path(script, run_name="__main__")
    except SystemExit as stop:
        if stop.code:
            print(stop.code, file=sys.stderr)
            return stop.code if isinstance(stop.code, int) else 1
    if recorder is not None:
        recorder.finish().save(path)
    return 0


def _recorder(side: str, worker: int) -> Any:
    if side == "legacy":
        from tf2towers.parity.record_legacy_worker import LegacyWorkerRecorder

        return LegacyWorkerRecorder(worker)
    from tf2towers.parity.record_migrated_worker import MigratedWorkerRecorder

    return MigratedWorkerRecorder(worker)


def _tell_when_enough(recorder: Any, steps: int, path: Path) -> None:
    """Writes the recording as soon as it has so many steps, and a line that says so; the task goes on."""
    told: list[bool] = []

    def look() -> None:
        everything = getattr(recorder, "records_all", False)
        if recorder.steps >= steps and not told:
            told.append(True)
            recorder.finish().save(path)
            print(f"\n{RECORDED_ALL if everything else RECORDED}", flush=True)

    recorder.on_step = look


def _keep_writes(scratch: str, folder: str) -> None:
    from tf2towers.recorder.overlay import Overlay, patch_python, patch_tensorflow

    overlay = Overlay(scratch, [folder])
    patch_python(overlay)
    patch_tensorflow(overlay)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

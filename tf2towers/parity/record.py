"""Runs a trainer unchanged and records it: `python -m tf2towers.parity.record legacy|migrated OUT SCRIPT [ARGS]`."""

from __future__ import annotations

import os
import runpy
import sys
from pathlib import Path


def main(argv: list[str]) -> int:
    """Runs SCRIPT with ARGS as its command line, and writes the recording to OUT (.npz)."""
    side, out, script, *arguments = argv
    sys.argv = [script, *arguments]
    sys.path.insert(0, str(Path(script).resolve().parent))
    if side == "legacy":
        from tf2towers.parity.record_legacy import LegacyRecorder as Recorder
    else:
        from tf2towers.parity.record_migrated import MigratedRecorder as Recorder  # type: ignore[assignment]
    recorder = Recorder(tower_order=os.environ.get("TF2TOWERS_AVERAGING") == "tower_order")
    try:
        runpy.run_path(script, run_name="__main__")
    except SystemExit as stop:
        if stop.code:
            return int(stop.code) if isinstance(stop.code, int) else 1
    recorder.finish().save(Path(out))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

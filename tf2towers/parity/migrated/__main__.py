"""Runs a TF2 trainer unedited and records it: `python -m tf2towers.parity.migrated OPTIONS.json SCRIPT [ARGS]`.

OPTIONS.json: {"out": folder, "steps": K, "original": folder or null, "lockstep": bool, "layers": bool, "names": {},
"seed": int, "tower_order": bool, "scratch": folder or null}. Exit status: that of the script, or 0 once K steps are
recorded.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import tensorflow as tf

from tf2towers.parity.migrated.functions import FunctionRecorder
from tf2towers.recorder import running, seeds
from tf2towers.recorder.overlay import keep_writes
from tf2towers.recorder.writing import Writer
from tf2towers.runtime import averaging


def main(options: dict[str, Any], script: str, arguments: list[str]) -> int:
    """Records the script; its exit status."""
    keep_writes(options)
    recorder = FunctionRecorder(
        Writer(options["out"]),
        options["steps"],
        Path(options["original"]) if options.get("original") else None,
        options.get("lockstep", True),
        options.get("layers", False),
        options.get("names", {}),
    )
    seeds.fix_seeds(options.get("seed", seeds.SEED))
    tf.random.set_seed(options.get("seed", seeds.SEED))
    with averaging.in_tower_order(options.get("tower_order", False)):
        return running.follow(tf, recorder, script, arguments)


if __name__ == "__main__":
    sys.exit(main(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")), sys.argv[2], sys.argv[3:]))

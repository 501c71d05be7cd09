"""Runs a TF2 trainer unedited and records it: `python tf2towers/verify/functions/__main__.py OPTIONS SCRIPT [ARGS]`.

OPTIONS, a JSON file: {"out": folder, "steps": K, "original": folder, "seed": int,
"scratch": folder or null}. Exit status: that of the script, or 0 once K steps are recorded.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any


def main(options: dict[str, Any], script: str, arguments: list[str]) -> int:
    """Records the script; returns its exit status."""
    import tensorflow as tf

    from tf2towers.verify.functions.functions import FunctionRecorder
    from tf2towers.verify.recorder import running, seeds
    from tf2towers.verify.recorder.writing import Writer

    running.keep_writes(options)
    recorder = FunctionRecorder(
        Writer(options["out"]),
        options["steps"],
        Path(options["original"]),
    )
    seeds.fix_seeds(options.get("seed", seeds.SEED))
    tf.random.set_seed(options.get("seed", seeds.SEED))
    return running.follow(tf, recorder, script, arguments)


if __name__ == "__main__":
    # in the place of this folder; the script's own comes there when it is run
    sys.path[0] = str(Path(__file__).resolve().parents[3])
    sys.exit(main(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")), sys.argv[2], sys.argv[3:]))

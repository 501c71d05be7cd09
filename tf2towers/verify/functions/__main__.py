"""Runs a TF2 trainer unedited and records it: `python tf2towers/verify/functions/__main__.py OPTIONS SCRIPT [ARGS]`.

OPTIONS, a JSON file: {"out": folder, "steps": K, "original": folder or null, "lockstep": bool, "layers": bool, "names":
{}, "seed": int, "tower_order": bool, "scratch": folder or null}. Exit status: that of the script, or 0 once K steps are
recorded. With "inputs" it is one task of a cluster, JOB_NAME and TASK_INDEX in the environment say which, as
`tf2towers launch` sets them; it is recorded where it is a worker, and goes on until it is stopped with the cluster.
Then there are "replay" and "inputs", each a folder or null, in place of "original", "layers", "names" and "seed",
see `tf2towers.verify.cluster.sides`; what is written is in `tf2towers.verify.cluster.merging`.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any


def main(options: dict[str, Any], script: str, arguments: list[str]) -> int:
    """Records the script; returns its exit status."""
    import tensorflow as tf

    from tf2towers.runtime import averaging
    from tf2towers.verify.recorder import running, seeds
    from tf2towers.verify.recorder.overlay import keep_writes

    keep_writes(options)
    if "inputs" in options:
        if os.environ["JOB_NAME"] == "ps":
            return running.leave(running.run(script, arguments))
        from tf2towers.verify.cluster.function_worker import FunctionWorkerRecorder

        worker = FunctionWorkerRecorder(int(os.environ["TASK_INDEX"]), options)
        with averaging.in_tower_order(options["tower_order"]):
            return running.follow(tf, worker, script, arguments, goes_on=True)
    from tf2towers.verify.functions.functions import FunctionRecorder
    from tf2towers.verify.recorder.writing import Writer

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
    # in the place of this folder; the script's own comes there when it is run
    sys.path[0] = str(Path(__file__).resolve().parents[3])
    sys.exit(main(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")), sys.argv[2], sys.argv[3:]))

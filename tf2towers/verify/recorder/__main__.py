"""Runs a TF1 script unedited and records it: `python tf2towers/verify/recorder OPTIONS.json SCRIPT [ARGS]`.

OPTIONS.json: {"out": folder, "steps": K, "layers": bool, "double": bool, "seed": int, "stand_ins": bool,
"scratch": folder or null}, see `tf2towers.verify.sides.Options`. Exit status: that of the script, or 0 once K steps are
recorded. meta.json in the folder says what was found, also where no step was. With "turns": "host:port" it is one task
of a cluster, see `cluster/task.py`; with "calls" every session call is recorded, see `continuous`.
"""

import importlib
import json
import os
import sys

if __name__ == "__main__":
    with open(sys.argv[1]) as stream:
        options = json.load(stream)
    running = "cluster.task" if "turns" in options else "running"
    if "calls" in options:
        running = "continuous.running"
    # in the place of this folder; the script's own comes there when it is run
    sys.path[0] = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
    sys.exit(
        importlib.import_module("tf2towers.verify.recorder." + running).main(
            options, sys.argv[2], sys.argv[3:]
        )
    )

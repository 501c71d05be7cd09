"""Runs a TF1 script unedited and records it: `python tf2towers/recorder OPTIONS.json SCRIPT [ARGS]`.

OPTIONS.json: {"out": folder, "steps": K, "layers": bool, "double": bool, "seed": int, "stand_ins": bool,
"scratch": folder or null}, see `tf2towers.parity.sides.Options`. Exit status: that of the script, or 0 once K steps are
recorded. meta.json in the folder says what was found, also where no step was. With "turns": "host:port" it is one task
of a cluster, see `cluster/task.py`; with "calls" every session call is recorded, see `continuous`.
"""

import importlib.util
import json
import os
import sys


def _package() -> str:
    """This folder as a package, whatever else the interpreter knows."""
    folder = os.path.dirname(os.path.abspath(__file__))
    name = "tf2towers_recorder"
    spec = importlib.util.spec_from_file_location(
        name, os.path.join(folder, "__init__.py"), submodule_search_locations=[folder]
    )
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return name


if __name__ == "__main__":
    with open(sys.argv[1]) as stream:
        options = json.load(stream)
    running = ".cluster.task" if "turns" in options else ".running"
    if "calls" in options:
        running = ".continuous.running"
    sys.exit(importlib.import_module(_package() + running).main(options, sys.argv[2], sys.argv[3:]))

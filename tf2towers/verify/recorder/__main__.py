"""Runs a script unedited and records it: a TF1 script, a migrated one, or one of TF 2 functions.

    python tf2towers/verify/recorder OPTIONS.json SCRIPT [ARGS]

OPTIONS.json: {"record": "calls", "steps" or "functions", "out": folder, "steps": K, "migrated": bool,
"stand_ins": bool, "scratch": folder or null}, see `tf2towers.verify.sides.Options`. "calls": every session call is
written (`calls`); "tower_order": a migrated script's means are summed in TF1's order; "resources": the variables of an
original are resources; "rounded": the other side runs on another TensorFlow; "in_step": a recording whose variables
this run gets, "rounding": how they are moved (`writing.Before`); "workers", the names of a cluster's tasks
that train ("chief-0"), the chief first: the process is a task of that cluster. "steps": the values of each training
step are written (`session`); "continuous": with the random numbers of "calls". "functions": the
training steps of TF 2 functions, with the state and inputs of the recording "original". Exit status: the script's, or 0
once K training steps are recorded. meta.json in the folder has facts on the run, even where no step was recorded.
"""

import json
import os
import sys

if __name__ == "__main__":
    with open(sys.argv[1]) as stream:
        options = json.load(stream)
    # replaces this file's folder; `run` later replaces it by the script's folder
    sys.path[0] = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
    from tf2towers.verify.recorder.running import main

    sys.exit(main(options, sys.argv[2], sys.argv[3:]))

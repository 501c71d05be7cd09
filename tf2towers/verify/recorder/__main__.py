"""Runs a script unedited and records it: a TF1 script, one that `migrate` has written, or one of TF 2 functions.

    python tf2towers/verify/recorder OPTIONS.json SCRIPT [ARGS]

OPTIONS.json: {"record": "calls", "steps" or "functions", "out": folder, "steps": K, "seed": int, "migrated": bool,
"stand_ins": bool, "scratch": folder or null}, see `tf2towers.verify.sides.Options`. "calls": every session call is
written (`calls`); "tower_order": a migrated script's means are added up in TF1's order; "rounded": the other side runs
on another TensorFlow; "workers", how many: it is one task of a cluster. "steps": what each training step is made of
(`session`); "double": see there; "continuous": with the random numbers of "calls". "functions": the training steps of
TF 2 functions, given those of the recording "original". Exit status: that of the script, or 0 once K training steps
are recorded. meta.json in the folder says what was found, also where no step was.
"""

import json
import os
import sys

if __name__ == "__main__":
    with open(sys.argv[1]) as stream:
        options = json.load(stream)
    # in the place of this folder; the script's own comes there when it is run
    sys.path[0] = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
    from tf2towers.verify.recorder.running import main

    sys.exit(main(options, sys.argv[2], sys.argv[3:]))

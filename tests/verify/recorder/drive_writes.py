"""Runs pieces of scripts under one overlay: DRIVE CLONE SCRATCH CASES.json, where a case has a name, folder and code.

Says for each case what went wrong, as JSON on the last line. Runs on Python 3.6 and later.
"""

import json
import sys
import traceback

sys.path.insert(0, sys.argv[1])
from tf2towers.verify.recorder.tf_writes import protect_tensorflow
from tf2towers.verify.recorder.writes import RefusedWrite, Writes, protect_python

with open(sys.argv[3]) as file:
    cases = json.load(file)
writes = Writes(sys.argv[2])
protect_python(writes)
space = {"writes": writes, "RefusedWrite": RefusedWrite}
if any(case["tensorflow"] for case in cases):
    import tensorflow as tf

    protect_tensorflow(writes)
    space["tf"] = tf

import os  # noqa: E402

said = {}
for case in cases:
    os.chdir(case["folder"])
    try:
        exec(compile(case["code"], case["name"], "exec"), dict(space))
        said[case["name"]] = ""
    except BaseException:
        said[case["name"]] = traceback.format_exc()
print("\n" + json.dumps(said))

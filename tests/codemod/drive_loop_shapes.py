"""Builds what every loop shape builds, as it is and migrated: `python drive_loop_shapes.py`, JSON on its last line."""

import contextlib
import io
import json
import os
import re
import sys
from pathlib import Path

os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
sys.path.insert(0, str(Path(__file__).parent))

import tensorflow.compat.v1 as tf
from codemod_texts import after
from loop_shapes import HEAD, SHAPES

from tf2towers.runtime import graph_mode

graph_mode()


def built(text):
    """What a script prints, and the operations that it builds."""
    with tf.Graph().as_default() as graph, contextlib.redirect_stdout(io.StringIO()) as printed:
        try:
            exec(compile(text, "shape", "exec"), {"__name__": "__main__", "__builtins__": __builtins__})
        except Exception as error:  # both have to end with it
            print(type(error).__name__)
    operations = [(node.name, node.type, node.device) for node in graph.get_operations()]
    return re.sub(r"0x[0-9a-f]+", "0x", printed.getvalue()), operations


results = {}
for name, text in SHAPES.items():
    results[name] = {"original": built(HEAD + text), "migrated": built(after(HEAD + text))}
print(json.dumps(results))

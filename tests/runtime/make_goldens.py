"""Runs every case under a real TensorFlow 1.15 and writes what it found to goldens/*.json.

/opt/tf115/bin/python tests/runtime/make_goldens.py [layers slim rnn contrib functions]

functions: the programs of tests/functions, into goldens there.
"""

import importlib
import json
import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

warnings.simplefilter("ignore")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import tensorflow as tf  # noqa: E402
from cases import running  # noqa: E402

CASE_MODULES = {"layers": "layer_cases", "slim": "slim_cases", "rnn": "rnn_cases", "contrib": "contrib_cases"}


def tf1_api():
    import tensorflow.contrib.rnn as contrib_rnn
    from tensorflow.contrib import slim

    class Rnn:
        """tf.nn's loops and tf.contrib.rnn's cells, under one name as in ours."""

        def __getattr__(self, name):
            for module in (tf.nn.rnn_cell, contrib_rnn, tf.nn):
                if hasattr(module, name):
                    return getattr(module, name)
            raise AttributeError(name)

    from tensorflow.contrib.slim import nets
    from tensorflow.contrib.slim.python.slim.nets import inception_v1, inception_v2, inception_v3

    nets.inception_v1, nets.inception_v2, nets.inception_v3 = inception_v1, inception_v2, inception_v3

    class Contrib:
        """tf.contrib, slim's networks, and Keras."""

        def __getattr__(self, name):
            return {"nets": nets, "keras": tf.keras}.get(name) or getattr(tf.contrib, name)

    return running.Api(tf.compat.v1, tf.layers, slim, Rnn(), Contrib())


def golden(case):
    """Builds the case in a graph of its own and runs it once."""
    with tf.Graph().as_default(), tf.Session() as session:
        return running.outcome(case, tf1_api(), session)


def functions():
    """Runs the programs of tests/functions as they are, in a process without these modules."""
    home = HERE.parent / "functions"
    sys.path.insert(0, str(home))
    import outcomes

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "outcomes.pickle"
        environment = dict(os.environ, CUDA_VISIBLE_DEVICES="-1")
        subprocess.run(
            [sys.executable, "main.py", str(path)], cwd=str(home / "programs"), env=environment, check=True
        )
        found = outcomes.read(path)
    outcomes.write_goldens(found)
    print(f"{outcomes.GOLDENS}: {len(found)} cases, TensorFlow {tf.__version__}")


def lines_of(found):
    """A line for each of them."""
    return [
        json.dumps(name) + ": " + json.dumps(made, sort_keys=True) for name, made in sorted(found.items())
    ]


def main(names):
    names = names or [*sorted(CASE_MODULES), "functions"]
    if "functions" in names:
        functions()
        names.remove("functions")
    if not names:
        return
    for name in names:
        cases = importlib.import_module("cases." + CASE_MODULES[name]).CASES
        goldens = {title: golden(case) for title, case in sorted(cases.items())}
        if name == "contrib":  # its test does not compare these
            for made in goldens.values():
                for fact in ("after", "operations", "updates"):
                    made.pop(fact, None)
        path = HERE / "goldens" / (name + ".json")
        path.write_text("{\n" + ",\n".join(lines_of(goldens)) + "\n}\n")
        print(f"{path}: {len(goldens)} cases, TensorFlow {tf.__version__}")


if __name__ == "__main__":
    main(sys.argv[1:])

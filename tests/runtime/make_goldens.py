"""Runs every case under a real TensorFlow 1.15 and writes what it found to goldens/*.json.

/opt/tf115/bin/python tests/runtime/make_goldens.py [layers slim rnn]
"""

import importlib
import json
import os
import sys
import warnings

warnings.simplefilter("ignore")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import tensorflow as tf  # noqa: E402
from cases import running  # noqa: E402

CASE_MODULES = {"layers": "layer_cases", "slim": "slim_cases", "rnn": "rnn_cases"}


def tf1_api():
    import tensorflow.contrib.layers as contrib_layers
    import tensorflow.contrib.rnn as contrib_rnn
    import tensorflow.contrib.slim as slim

    class Rnn(object):
        """tf.nn's loops and tf.contrib.rnn's cells, under one name as in ours."""

        def __getattr__(self, name):
            for module in (tf.nn.rnn_cell, contrib_rnn, tf.nn):
                if hasattr(module, name):
                    return getattr(module, name)
            raise AttributeError(name)

    return running.Api(tf.compat.v1, tf.layers, slim, contrib_layers, Rnn())


def golden(case):
    """Builds the case in a graph of its own and runs it once."""
    with tf.Graph().as_default(), tf.Session() as session:
        inputs = [
            tf.placeholder_with_default(running.fixed("input%d" % i, shape), shape)
            for i, shape in enumerate(case.shapes)
        ]
        api = tf1_api()
        fetches = running.build(case, api, inputs)
        session.run(tf.global_variables_initializer())
        if not case.keep_initial:
            for variable in tf.global_variables():
                variable.load(running.fixed(running.variable_name(variable), variable.shape.as_list()), session)
        result = running.facts(api, fetches)
        result["variables"] = [[running.variable_name(one), one.shape.as_list()] for one in tf.global_variables()]
        result["values"] = {name: running.digest(value) for name, value in sorted(session.run(fetches).items())}
        for update in tf.get_collection(tf.GraphKeys.UPDATE_OPS):  # one after the other: together they race
            session.run(update)
        after = {
            running.variable_name(one): one for one in tf.global_variables() if one not in tf.trainable_variables()
        }
        result["after"] = {name: running.digest(value) for name, value in sorted(session.run(after).items())}
        return result


def main(names):
    for name in names or sorted(CASE_MODULES):
        cases = importlib.import_module("cases." + CASE_MODULES[name]).CASES
        goldens = {title: golden(case) for title, case in sorted(cases.items())}
        path = os.path.join(HERE, "goldens", name + ".json")
        with open(path, "w") as file:
            lines = [
                json.dumps(title) + ": " + json.dumps(one, sort_keys=True) for title, one in sorted(goldens.items())
            ]
            file.write("{\n" + ",\n".join(lines) + "\n}\n")
        print("%s: %d cases, TensorFlow %s" % (path, len(goldens), tf.__version__))


if __name__ == "__main__":
    main(sys.argv[1:])

"""Runs the cases of layers, cells, slim and contrib as a migrated script would; FILE gets what became of each."""

import functools
import json
import sys
from pathlib import Path
from types import SimpleNamespace

sys.path.insert(0, str(Path(__file__).parents[1]))

from tf2towers.runtime import Session, graph_mode

graph_mode()

import tensorflow.compat.v1 as tf  # noqa: E402
from cases import contrib_cases, layer_cases, rnn_cases, running, slim_cases  # noqa: E402

from tf2towers.runtime import tf1  # noqa: E402
from tf2towers.runtime.tf1 import image, keras, layers, legacy_seq2seq, rnn_cell, seq2seq, slim  # noqa: E402


class Rnn:
    """Cells and loops, under one name as the cases have them."""

    def __getattr__(self, name):
        if (
            name == "dynamic_rnn"
        ):  # rounds of a loop in a session overlap, and dropout then draws in either order
            return functools.partial(tf.nn.dynamic_rnn, parallel_iterations=1)
        return getattr(rnn_cell if hasattr(rnn_cell, name) else tf.nn, name)


tf1.print_model_analysis = lambda graph, tfprof_options: tf.profiler.profile(graph, options=tfprof_options)
contrib = SimpleNamespace(
    image=image,
    keras=keras,
    legacy_seq2seq=legacy_seq2seq,
    nets=slim.nets,
    seq2seq=seq2seq,
    tfprof=SimpleNamespace(model_analyzer=tf1),
)
api = running.Api(tf, layers, slim, Rnn(), contrib)
found = {}
for module, cases in (
    ("layers", layer_cases.CASES),
    ("rnn", rnn_cases.CASES),
    ("slim", slim_cases.CASES),
    ("contrib", contrib_cases.CASES),
):
    for title, case in cases.items():
        try:
            with tf.Graph().as_default(), Session() as session:
                found[f"{module}: {title}"] = running.outcome(case, api, session)
        except Exception as problem:
            found[f"{module}: {title}"] = {"error": f"{type(problem).__name__}: {problem}"}
Path(sys.argv[1]).write_text(json.dumps(found))

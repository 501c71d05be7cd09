"""T2T610: sessions and servers are the runtime's."""

from __future__ import annotations

from tf2towers.codemod.file import File
from tf2towers.codemod.rule import Example, Rule

#: what TF1's sessions filled with the times of every operation
_TRACES = frozenset({"tf.RunMetadata", "tf.train.ProfilerHook"})


def notes(file: File) -> None:
    """Tells where a trace of a run is asked for: there will be none."""
    for node, canonical in file.symbols:
        if canonical.replace("tf.compat.v1.", "tf.") in _TRACES:
            message = "no run is traced: its metadata, and a timeline made of it, stay empty; tf.profiler traces steps"
            file.note(node, "T2T610", message, "note")


RULE = Rule(
    code="T2T610",
    title="Sessions and servers are the runtime's",
    why="""
    `tf.Session` and what makes sessions (MonitoredTrainingSession, Supervisor, SessionManager and their like), and
    `tf.train.Server`, are names of tf2towers.runtime: the same calls, but a run is a TF 2 function on the devices of a
    strategy, with only what the fetches need in it. It is a table of names (codemod/symbols.tsv), which T2T601
    and T2T602 read; savers, hooks, summaries, queues and coordinators stay TensorFlow's own. What a run was told about
    itself is not there: `tf.RunMetadata` stays empty, and so does a timeline that is made of it, which is told.
    """,
    notes=notes,
    sources=("tf.compat.v1.wrap_function", "codemod/symbols.tsv"),
    examples=(
        Example(
            "a session",
            "import tensorflow as tf\n\nwith tf.Session(config=tf.ConfigProto()) as sess:\n"
            "    print(sess.run(tf.constant(1)))\n",
            "import tensorflow.compat.v1 as tf\nfrom tf2towers.runtime import Session, graph_mode\n\ngraph_mode()\n\n"
            "with Session(config=tf.ConfigProto()) as sess:\n    print(sess.run(tf.constant(1)))\n",
        ),
    ),
)

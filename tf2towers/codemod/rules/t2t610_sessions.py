"""T2T610: sessions and servers are the runtime's."""

from __future__ import annotations

from tf2towers.codemod.nodes import Symbol
from tf2towers.codemod.rule import Example, Rule

#: what TF1's sessions filled with the times of every operation
_TRACES = frozenset({"tf.RunMetadata", "tf.train.ProfilerHook", "tf.contrib.tfprof.ProfileContext"})
_DEBUGGER = "tf.python.debug."


class Sessions(Rule):
    """Sessions and servers are the runtime's

    `tf.Session`, `tf.train.Server` and what makes sessions (MonitoredTrainingSession, Supervisor, SessionManager and
    others) become names of tf2towers.runtime. The calls are the same. A run is a TF 2 function on the devices of a
    strategy, with only what the fetches need.

    The names are in a table (codemod/symbols.tsv), which T2T601 and T2T602 read. Savers, hooks, summaries, queues and
    coordinators stay TensorFlow's own. A run is not traced: `tf.RunMetadata` stays empty, and so does a timeline made
    from it, as `slim.learning.train` does with `trace_every_n_steps`; this is reported.
    """

    sources = ("tf.compat.v1.wrap_function", "codemod/symbols.tsv")
    examples = (
        Example(
            "a session",
            """
                import tensorflow as tf

                with tf.Session(config=tf.ConfigProto()) as sess:
                    print(sess.run(tf.constant(1)))
                """,
            """
                import tensorflow.compat.v1 as tf
                from tf2towers.runtime import Session, graph_mode

                graph_mode()

                with Session(config=tf.ConfigProto()) as sess:
                    print(sess.run(tf.constant(1)))
                """,
        ),
    )

    def visit_Symbol(self, node: Symbol, canonical: str) -> None:
        """Reports where a trace of a run is asked for: it will be empty."""
        called = canonical == "tf.contrib.slim.learning.train" and self.file.text.of(self.file.parent(node))
        if canonical.replace("tf.compat.v1.", "tf.") in _TRACES or (
            called and "trace_every_n_steps" in called
        ):
            message = "no run is traced: its metadata, and a timeline made of it, stay empty; tf.profiler traces steps"
            self.note(node, message, "note")
        if canonical.startswith(_DEBUGGER) and canonical.endswith(("WrapperSession", "Hook")):
            self.note(
                node, "TensorFlow's debugger has ended: the session, or the hooks, run without it", "note"
            )
        if canonical.startswith("tf.contrib.memory_stats."):
            message = "the bytes of a GPU that TensorFlow counts when the run asks; 0 on a CPU"
            self.note(node, message, "note")

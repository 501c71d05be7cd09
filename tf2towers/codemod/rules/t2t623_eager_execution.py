"""T2T623: eager execution in a TF1 program."""

from __future__ import annotations

import libcst as cst

from tf2towers.codemod.nodes import Symbol, find_names, walk
from tf2towers.codemod.program import File, only_tf1s
from tf2towers.codemod.reached import branches_around, note_site
from tf2towers.codemod.rule import Example, Rule
from tf2towers.codemod.symbols import VERSIONS
from tf2towers.codemod.tf1_signs import EAGER


def _asks_first(file: File, node: cst.CSTNode) -> bool:
    """True if the program looks which TensorFlow it has before it comes to a node, or goes on where it fails."""
    if any(isinstance(outer, cst.Try) and outer.handlers for outer in file.ancestors(node)):
        return True
    tests = [test for test, _ in branches_around(file, node)]
    held = [file.meanings.values(name) for name in find_names(*tests)]
    values = [value for each in held for value in each if value is not None]
    return any(_asks(file, part) for part in walk(*tests, *values))


def _asks(file: File, node: cst.CSTNode) -> bool:
    if isinstance(node, cst.Call):
        return file.canonical(node.func) == "builtins.hasattr"
    return isinstance(node, Symbol) and file.canonical(node) in VERSIONS


class EagerExecution(Rule):
    """Eager execution in a TF1 program

    A program that turns eager execution on computes at once, as TF 2 does. It is not a program of graphs and sessions,
    and `graph_mode()` would be wrong in it. It is not changed.

    Nor is a program that computes under tapes. It is left where it takes from plain `tensorflow`, without a test of the
    version, what TF 2 no longer has (`tf.train.AdamOptimizer`).
    """

    does = "refuses"
    programs = frozenset({"tf1", "eager", "migrated", "other"})
    todo = """
    Remove the call (TF 2 is eager by itself) and rename the symbols, for instance with tf_upgrade_v2.
    """
    examples = (
        Example(
            "eager from the start",
            """
                import tensorflow as tf

                tf.enable_eager_execution()
                print(tf.log(2.0))
                """,
            left=True,
        ),
        Example(
            "an optimizer of TF1 under a tape",
            """
                import tensorflow as tf

                w = tf.Variable(1.0)
                with tf.GradientTape() as tape:
                    loss = w * w
                opt = tf.train.GradientDescentOptimizer(0.1)
                opt.apply_gradients([(tape.gradient(loss, w), w)])
                """,
            left=True,
        ),
        Example(
            "a program that asks for the version",
            """
                import tensorflow as tf

                if tf.__version__ < '2':
                    tf.enable_v2_tensorshape()
                w = tf.Variable(1.0)
                with tf.GradientTape() as tape:
                    loss = w * w
                """,
        ),
    )

    def visit_Module(self, node: cst.Module) -> None:
        """Notes the calls, and in a program under tapes what TF 2 no longer has."""
        file = self.file
        for use, canonical in file.symbols:
            if canonical in EAGER:
                self.note(use, f"{canonical}: this program does not build a graph to be run in sessions")
        for use, canonical in only_tf1s(file) if file.program.is_tf2 else ():
            if canonical not in EAGER and not _asks_first(file, use):
                message = f"{canonical}: this program computes eagerly, and TF 2 lacks this name"
                note_site(file, use, self.code, message)

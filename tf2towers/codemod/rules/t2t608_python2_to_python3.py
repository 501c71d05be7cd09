"""T2T608: a script of Python 2, converted before it is migrated; T2T609 has what cannot be said for certain."""

from __future__ import annotations

import libcst as cst

from tf2towers.codemod.changes import Removal
from tf2towers.codemod.nodes import block, is_docstring, module_of
from tf2towers.codemod.rule import Example, Rule


class Python2ToPython3(Rule):
    """A script of Python 2 becomes Python 3 first

    Python 2 does not run TensorFlow 2. Where a script, or a module that it always imports, is not valid Python 3, the
    whole program counts as Python 2. fissix (the maintained lib2to3) converts it before it is migrated. A program that
    is valid Python 3 keeps its divisions.

    What Python 3 accepts but computes otherwise is converted, too. `a / b` becomes `a // b` where both are certainly
    integers, and stays where one certainly is not. Where only the run shows it, `python2_division(a, b)` is written. A
    pickle is read as Python 2 wrote it; `round` and `math.ceil` give what they gave.

    Imports from `__future__` after a second text at the top, which Python 2 and 3.7 allowed, go: Python 3 has what they
    ask for.

    The text does not show which values are bytes: Python 2 had one kind of text, and Python 3 has two.
    """

    programs = frozenset({"tf1", "eager", "migrated", "other"})
    modules = True
    safe = False
    todo = """
    Look where text comes from a session (tf.string) or from a file opened with 'rb': it is bytes in Python 3, and
    `==` against a str is False there, without an error. Write .decode() after it, or b'...' for the other side.
    """
    sources = ("fissix",)
    examples = (
        Example(
            "a print statement, a range and divisions",
            """
                import tensorflow as tf

                BATCH = 64
                sess = tf.Session()
                for step in xrange(BATCH / 2):
                    print step, sess.run(tf.constant(step) / 2)
                """,
            """
                import tensorflow.compat.v1 as tf
                from tf2towers.runtime import Session, graph_mode, python2_division

                graph_mode()

                BATCH = 64
                sess = Session()
                for step in range(BATCH // 2):
                    print(step, sess.run(python2_division(tf.constant(step), 2)))
                """,
        ),
        Example(
            "imports from the future after two texts",
            """
                # A licence
                "A trainer"

                "that is described twice"
                from __future__ import division

                import tensorflow as tf

                x = tf.placeholder(tf.float32, [])
                """,
            """
                # A licence
                "A trainer"

                "that is described twice"

                import tensorflow.compat.v1 as tf
                from tf2towers.runtime import graph_mode

                graph_mode()

                x = tf.placeholder(tf.float32, [])
                """,
        ),
    )

    def applies(self) -> bool:
        """True if the script imports something from the future; a notebook may do so in each cell."""
        return "__future__" in self.file.script.text and self.file.script.notebook is None

    def visit_Module(self, node: cst.Module) -> None:
        """Removes imports from `__future__` that Python 3 refuses, for they come after more than one text."""
        may_come = True
        for place, statement in enumerate(block(node)):
            is_future = isinstance(statement, cst.ImportFrom) and module_of(statement) == "__future__"
            if is_future and not may_come:
                self.changes.append(Removal(statement))
            may_come = may_come and (is_future or (place == 0 and is_docstring(statement)))

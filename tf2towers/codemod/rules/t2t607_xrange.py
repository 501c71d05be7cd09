"""T2T607: `xrange`, which Python 3 lacks."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from tf2towers.codemod.edits import Edit
from tf2towers.codemod.program import File
from tf2towers.codemod.rule import Example, Rule


def edits(file: File) -> Iterator[Edit]:
    """`range` for each `xrange` that nothing defines."""
    for name in file.all(cst.Name):
        if name.value == "xrange" and file.is_read(name) and not file.meanings.bindings(name):
            yield file.replace(name, "range")


RULE = Rule(
    code="T2T607",
    title="`xrange` is `range`",
    why="""
    TF1 scripts of Python 2 loop over `xrange`, which Python 3 lacks. Where the script does not define or import the
    name itself, it becomes `range`, which means the same.
    """,
    edits=edits,
    examples=(
        Example(
            "a loop over steps",
            "import tensorflow as tf\n\nsess = tf.Session()\nfor step in xrange(3):\n    sess.run(step)\n",
            "import tensorflow.compat.v1 as tf\nfrom tf2towers.runtime import Session, graph_mode\n\ngraph_mode()\n\n"
            "sess = Session()\nfor step in range(3):\n    sess.run(step)\n",
        ),
    ),
)

"""T2T623: eager execution in a TF1 program."""

from __future__ import annotations

from tf2towers.exact.file import File
from tf2towers.exact.rule import Example, Rule

EAGER = frozenset(
    {"tf.enable_eager_execution", "tf.enable_v2_behavior", "tf.contrib.eager.enable_eager_execution"}
)


def is_eager(file: File) -> bool:
    """Whether a file turns eager execution on: then nothing of its program is touched."""
    return any(canonical in EAGER for _, canonical in file.symbols)


def notes(file: File) -> None:
    """Notes the calls."""
    for node, canonical in file.symbols:
        if canonical in EAGER:
            file.note(
                node, "T2T623", f"{canonical}: this program does not build a graph to be run in sessions"
            )


RULE = Rule(
    code="T2T623",
    title="Eager execution in a TF1 program",
    does="refuses",
    why="""
    A program that turns eager execution on computes as it goes, as TF 2 does: it is no program of graphs and sessions,
    and `graph_mode()` would be wrong in it. Nothing of it is changed.
    """,
    todo="Remove the call (TF 2 is eager by itself) and rename the symbols, for instance with tf_upgrade_v2.",
    notes=notes,
    examples=(
        Example(
            "eager from the start",
            "import tensorflow as tf\n\ntf.enable_eager_execution()\nprint(tf.log(2.0))\n",
            left=True,
        ),
    ),
)

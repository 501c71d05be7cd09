"""T2T637: draws that a seed decides."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tf2towers.certain.building import Building
from tf2towers.certain.rule import Doubt, Rule

#: whose seed decides what a variable begins with, which is drawn as ever
_INITIAL = ("initializer", "tf.truncated_normal", "tf.random_normal", "tf.random_uniform")


def doubts(building: Building) -> Iterator[Doubt]:
    """The graph's seed, and seeds of operations that draw in a step."""
    for file in building.files:
        for call in file.all(ast.Call):
            canonical = file.canonical(call.func) or ""
            if canonical in ("tf.set_random_seed", "tf.random.set_random_seed"):
                yield Doubt(file, call, "the graph's seed")
            elif canonical.startswith("tf.") and not canonical.endswith(_INITIAL):
                if any(one.arg == "seed" for one in call.keywords):
                    yield Doubt(file, call, f"a seed of {canonical}")


RULE = Rule(
    code="T2T637",
    title="Draws that a seed decides",
    why="""
    A draw in a TF1 session is decided by the graph's seed and the operation's place in the graph, of which a
    function has neither. Where the script sets a seed, it asks for these numbers.
    """,
    todo="Nothing: the exact form draws TF1's numbers. For idiomatic form, give the seeds to the initializers alone.",
    doubts=doubts,
    doubtful=(
        "before: tf.set_random_seed(1)",
        "loss: loss = tf.reduce_mean(tf.nn.dropout(tf.square(y), 0.5, seed=3))",
    ),
    certain=(
        "variable: w = tf.get_variable('w', [3, 1], initializer=tf.glorot_uniform_initializer(seed=4))",
    ),
)

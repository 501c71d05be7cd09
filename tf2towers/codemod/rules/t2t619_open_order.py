"""T2T619: what TensorFlow 1 leaves open, or drew by other numbers: updates of all towers, the graph's seed."""

from __future__ import annotations

import libcst as cst

from tf2towers.codemod.nodes import argument, is_none, positional, walk
from tf2towers.codemod.program import File
from tf2towers.codemod.rule import Example, Rule
from tf2towers.codemod.towers.loops import find_tower_loops

#: one advice for each message
OF_UPDATES = (
    "Nothing here. Where the original is to have one order, too, take one tower's updates (scope='tower_0')."
)
OF_SEEDS = (
    "Give initializers and random operations seeds of their own where the same first weights are wanted on both "
    "TensorFlows, or start from a checkpoint."
)
OF_CELLS = "Nothing to train anew. To go on from a checkpoint of TF 1, copy its weights by their new names."


def notes(file: File) -> None:
    """Notes where the updates of all towers are collected, each seed of a graph, and cells that were cuDNN's."""
    loops = find_tower_loops(file)
    inside = {node for loop in loops for node in walk(loop.node)}
    for node, canonical in file.symbols:
        call = file.parent(node)
        if not isinstance(call, cst.Call) or call.func is not node:
            continue
        if canonical == "tf.set_random_seed" and not is_none(argument(call, 0, "seed")):
            message = "the graph's seed alone draws other first weights than TF 1.15's: it counts operations"
            file.note(call, "T2T619", f"{message}; an operation's own seed does not", "note", OF_SEEDS)
        if canonical == "tf.contrib.cudnn_rnn.CudnnLSTM":
            message = "plain cells compute what cuDNN's did: they take longer, a checkpoint has other names than TF 1's"
            file.note(
                call, "T2T619", f"{message}, first weights and dropout are other draws", "note", OF_CELLS
            )
        collects = canonical == "tf.get_collection" and loops and call not in inside
        if collects and argument(call, 1, "scope") is None and _is_of_updates(file, call):
            message = "the updates of all towers: TF 1 leaves their order open, here they are made in the towers' order"
            file.note(call, "T2T619", message, "note", OF_UPDATES)


def _is_of_updates(file: File, call: cst.Call) -> bool:
    return any(file.canonical(given) == "tf.GraphKeys.UPDATE_OPS" for given in positional(call)[:1])


RULE = Rule(
    code="T2T619",
    title="What TensorFlow 1 leaves open, or draws by other numbers",
    does="reports",
    why="""
    Where all towers update one moving average, the graph does not say which update comes first. TF 1 makes the updates
    in any order, the migrated program in the order in which they are built.

    TF 1.15 and TF 2 count operations differently. A graph's seed gives each random operation a seed by that count, so
    the random numbers differ.

    `tf.contrib.cudnn_rnn.CudnnLSTM` ran in NVIDIA's library, which drew its own numbers and had its own layout of the
    weights. Plain cells compute the same from one variable of the same name.
    """,
    todo="""
    Updates: nothing here; where the original is to have one order, too, take one tower's (`scope='tower_0'`). Seeds:
    give initializers and random operations their own where the same first weights are wanted on both TensorFlows, or
    start from a checkpoint. cuDNN's cells: to go on from a checkpoint of TF 1, copy its weights by their new names.
    """,
    notes=notes,
    sources=("tf.GraphKeys.UPDATE_OPS", "tf.set_random_seed"),
    examples=(
        Example(
            "the seed of a graph",
            """
                import tensorflow as tf

                tf.set_random_seed(1)
                w = tf.get_variable('w', [2])
                """,
            """
                import tensorflow.compat.v1 as tf
                from tf2towers.runtime import graph_mode

                graph_mode()

                tf.set_random_seed(1)
                w = tf.get_variable('w', [2])
                """,
        ),
    ),
)

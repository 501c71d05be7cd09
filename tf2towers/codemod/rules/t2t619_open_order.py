"""T2T619: what TensorFlow 1 leaves open, or drew by other numbers: updates of all towers, the graph's seed."""

from __future__ import annotations

import libcst as cst

from tf2towers.codemod.meanings import Assigned, Opaque
from tf2towers.codemod.nodes import argument, is_none, last_name, positional, walk
from tf2towers.codemod.program import File
from tf2towers.codemod.rule import Example, Rule
from tf2towers.codemod.towers.loops import find_tower_loops

#: methods that give a worker a session whose variables the chief has initialized
_WAITS = frozenset({"managed_session", "prepare_or_wait_for_session", "wait_for_session"})
_INITIALIZERS = frozenset({"tf.global_variables_initializer", "tf.initialize_all_variables"})


def notes(file: File) -> None:
    """Notes where the updates of all towers are collected, each seed of a graph, and cells that were cuDNN's.

    In a cluster: each initializer that a worker runs again, after it has waited for the chief's.
    """
    for run in file.all(cst.Call):
        if _initializes_again(file, run):
            message = "each worker that joins sets all variables anew. TF 1's looked every 30 seconds"
            file.note(run, "T2T619", f"{message} whether the chief is ready, here it begins at once", "note")
    loops = find_tower_loops(file)
    inside = {node for loop in loops for node in walk(loop.node)}
    for node, canonical in file.symbols:
        call = file.parent(node)
        if not isinstance(call, cst.Call) or call.func is not node:
            continue
        if canonical == "tf.set_random_seed" and not is_none(argument(call, 0, "seed")):
            message = "the graph's seed alone draws other first weights than TF 1.15's: it counts operations"
            file.note(call, "T2T619", f"{message}; an operation's own seed does not", "note")
        if canonical == "tf.contrib.cudnn_rnn.CudnnLSTM":
            message = "plain cells compute what cuDNN's did: they take longer, a checkpoint has other names than TF 1's"
            file.note(call, "T2T619", f"{message}, first weights and dropout are other draws", "note")
        collects = canonical == "tf.get_collection" and loops and call not in inside
        if collects and argument(call, 1, "scope") is None and _is_of_updates(file, call):
            message = "the updates of all towers: TF 1 leaves their order open, here they are made in the towers' order"
            file.note(call, "T2T619", message, "note")


def _initializes_again(file: File, call: cst.Call) -> bool:
    """True for `session.run(init)` of all variables, in a session that has waited for the chief, without an `if`."""
    if not isinstance(call.func, cst.Attribute) or call.func.attr.value != "run" or not call.args:
        return False
    runs = any(file.canonical(made.func) in _INITIALIZERS for made in _calls(file, call.args[0].value))
    waited = any(last_name(made.func) in _WAITS for made in _calls(file, call.func.value))
    chosen = any(isinstance(around, cst.If) for around in file.ancestors(call))
    return runs and waited and not chosen and any(name == "tf.train.Server" for _, name in file.symbols)


def _calls(file: File, value: cst.CSTNode) -> list[cst.Call]:
    """The calls that a value may come from: itself, or those that its name is bound to."""
    if isinstance(value, cst.Call):
        return [value]
    found = []
    for binding in file.meanings.bindings(value):
        made = binding.value if isinstance(binding, Assigned) else None
        if isinstance(binding, Opaque):  # `with .. as session`
            made = next(
                (at.item for at in file.ancestors(binding.node) if isinstance(at, cst.WithItem)), None
            )
        if isinstance(made, cst.Call):
            found.append(made)
    return found


def _is_of_updates(file: File, call: cst.Call) -> bool:
    return any(file.canonical(given) == "tf.GraphKeys.UPDATE_OPS" for given in positional(call)[:1])


RULE = Rule(
    code="T2T619",
    title="What TensorFlow 1 leaves open, or draws by other numbers",
    does="reports",
    why="""
    Where all towers update one moving average, the graph does not say which update comes first. TF 1 makes the updates
    in any order, the migrated program in the order in which they are built.

    A worker that joins waits until the chief has initialized the variables. Where its script runs the initializer
    again, the training of all begins anew. In TF 1 this was after up to 30 seconds, between two looks at the chief.

    TF 1.15 and TF 2 count operations differently. A graph's seed gives each random operation a seed by that count, so
    the random numbers differ.

    `tf.contrib.cudnn_rnn.CudnnLSTM` ran in NVIDIA's library, which drew its own numbers and had its own layout of the
    weights. Plain cells compute the same from one variable of the same name.
    """,
    todo="""
    Take one tower's updates (`scope='tower_0'`) to leave nothing open. Give initializers and random operations seeds of
    their own where the same first weights are wanted on both TensorFlows, or start from a checkpoint.
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

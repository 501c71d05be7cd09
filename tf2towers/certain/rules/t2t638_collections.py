"""T2T638: a collection, or a variable, that the towers share while they are built."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tf2towers.certain.building import Building
from tf2towers.certain.queues import tower_functions
from tf2towers.certain.rule import Doubt, Rule
from tf2towers.certain.worker_example import SUPERVISED, TWO, worker_with
from tf2towers.exact.file import File
from tf2towers.names.old_names import is_of_summaries, todays_name

_UPDATES = "tf.GraphKeys.UPDATE_OPS"
_ASSIGN = frozenset({"tf.assign", "tf.assign_add", "tf.assign_sub"})
_ASSIGN_METHODS = frozenset({"assign", "assign_add", "assign_sub"})


def doubts(building: Building) -> Iterator[Doubt]:
    """Collections that are read whole, and variables that are written beside the optimizer."""
    towers: set[ast.AST] = {part for _, part in building.bodies} | {
        function for _, function in tower_functions(building)
    }
    for file in building.files:
        for call in file.all(ast.Call):
            canonical = todays_name(file.canonical(call.func) or "")
            if canonical == "tf.get_collection" and _is_thrown_away(building, file, call):
                continue
            is_whole = len(call.args) + len(call.keywords) < 2
            if (
                canonical == "tf.get_collection"
                and is_whole
                and not building.loops
                and _is_steps(building, file, call)
            ):
                continue
            if canonical == "tf.get_collection" and is_whole:
                yield Doubt(file, call, "a collection that is read whole, whatever tower filled it")
            elif canonical == "tf.get_collection" and not any(
                ancestor in towers for ancestor in file.ancestors(call)
            ):
                yield Doubt(file, call, "a collection that is read behind the towers")
            elif canonical == "tf.summary.merge_all" and building.loops and _summaries(building, towers):
                yield Doubt(file, call, "the summaries of every tower")
            elif _is_assign(file, call) and not _is_update(file, call):
                yield Doubt(file, call, "a variable that is written, and not as one of UPDATE_OPS")


def _is_steps(building: Building, file: File, call: ast.Call) -> bool:
    """Whether a worker's step reads a collection that its own statements fill, and by a name that is written there."""
    towers = {part for _, part in building.bodies} | {function for _, function in tower_functions(building)}
    name = call.args[0] if call.args else None
    if not isinstance(name, ast.Constant) or not isinstance(name.value, str):
        return False
    filled = [
        (other, added)
        for other in building.files
        for added in other.all(ast.Call)
        if other.canonical(added.func) == "tf.add_to_collection"
    ]
    return all(
        added.args
        and isinstance(added.args[0], ast.Constant)
        and any(around in towers for around in other.ancestors(added))
        for other, added in filled
    ) and any(around in towers for around in file.ancestors(call))


def _is_thrown_away(building: Building, file: File, call: ast.Call) -> bool:
    """Whether a function returns what is made of a collection, and no caller uses that: `_ = model.loss(logits)`."""
    statement = file.statement(call)
    function = file.function_around(call)
    if not isinstance(statement, ast.Return) or function is None:
        return False
    calls = [
        (other_file, other_call)
        for other_file in building.files
        for other_call in other_file.all(ast.Call)
        if building.function_called(other_file, other_call) is function
    ]
    return bool(calls) and all(
        isinstance(parent := other_file.parent(other_call), ast.Expr)
        or (isinstance(parent, ast.Assign) and [other_file.text.of(name) for name in parent.targets] == ["_"])
        for other_file, other_call in calls
    )


def _summaries(building: Building, towers: set[ast.AST]) -> bool:
    return any(
        is_of_summaries(canonical) and any(ancestor in towers for ancestor in file.ancestors(node))
        for file in building.files
        for node, canonical in file.symbols
    )


def _is_assign(file: File, call: ast.Call) -> bool:
    canonical = file.canonical(call.func)
    if canonical is None and isinstance(call.func, ast.Attribute):
        return call.func.attr in _ASSIGN_METHODS
    return canonical in _ASSIGN


def _is_update(file: File, call: ast.Call) -> bool:
    """Whether a write's operation is put into UPDATE_OPS, and used for nothing else."""
    parent = file.parent(call)
    if _adds(file, parent):
        return True
    if not isinstance(parent, ast.Assign) or not all(
        isinstance(target, ast.Name) for target in parent.targets
    ):
        return False
    names = {target.id for target in parent.targets if isinstance(target, ast.Name)}
    scope = file.meanings.scope(parent)
    uses = [
        use
        for use in file.all(ast.Name)
        if use.id in names and isinstance(use.ctx, ast.Load) and file.meanings.scope(use) is scope
    ]
    return bool(uses) and all(_adds(file, file.parent(use)) for use in uses)


def _adds(file: File, node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and file.canonical(node.func) == "tf.add_to_collection"
        and bool(node.args)
        and file.canonical(node.args[0]) == _UPDATES
    )


_WORKER = (
    f"{worker_with(TWO, SUPERVISED)}\n"
    "loss: tf.add_to_collection('l', tf.reduce_mean(tf.square(y))); loss = tf.reduce_mean(y)"
)

RULE = Rule(
    code="T2T638",
    title="A collection or a variable that the towers share while they are built",
    why="""
    In a graph the second tower's collections begin with what the first put there, and what a tower writes is a
    variable that the others read. In idiomatic form each tower is a function of its own. It is certain where a
    tower reads what itself has put into a collection, by its name scope.
    """,
    todo="""
    Read collections in the tower, with its name scope: `tf.get_collection('losses', scope)`; write moving
    statistics through `tf.GraphKeys.UPDATE_OPS`.
    """,
    doubts=doubts,
    doubtful=(
        "loss: tf.add_to_collection('l', tf.reduce_mean(tf.square(y))); loss = tf.add_n(tf.get_collection('l'))",
        "loss: loss = tf.reduce_mean(tf.square(y)) + tf.assign_add(w, w)[0, 0]",
        "loss: loss = tf.reduce_mean(tf.square(y)); tf.summary.scalar('a', loss)\n"
        "after: merged = tf.summary.merge_all()",
        "after: more = w.assign(w * 2)",
        f"{_WORKER} + tf.add_n(tf.get_collection(key))\nbefore: key = 'l'",
        f"{_WORKER}\nsession: {SUPERVISED}; more = tf.get_collection('l'); for step in range(3):;     batch = 0",
        f"{_WORKER} + tf.add_n(tf.get_collection('l'))\nbefore: tf.add_to_collection('l', x)",
        f"{_WORKER} + tf.add_n(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES))",
    ),
    certain=(
        f"{_WORKER} + tf.add_n(tf.get_collection('l'))",
        "loss: tf.add_to_collection('l', tf.reduce_mean(tf.square(y))); "
        "loss = tf.add_n(tf.get_collection('l', scope))",
    ),
)

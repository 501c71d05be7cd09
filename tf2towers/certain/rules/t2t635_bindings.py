"""T2T635: a name that the training depends on stands for several things."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tf2towers.certain.building import PLACEHOLDERS, Building
from tf2towers.certain.rule import Doubt, Rule
from tf2towers.certain.straight_line import assignment_of, reads_of, runs_at_once
from tf2towers.certain.tower_body import tower_bodies
from tf2towers.certain.without_towers import graph_on_devices
from tf2towers.certain.worker_example import SUPERVISED, TWO, worker_with
from tf2towers.exact.file import File
from tf2towers.names.meanings import Assigned, Binding, Scope

_MAKERS = frozenset({"tf.Variable", "tf.get_variable"})


def doubts(building: Building) -> Iterator[Doubt]:
    """Names in runs, names of what trains, and lists of towers that are bound more than once."""
    known = {
        (file, name)
        for file, _, body in tower_bodies(building)
        for name in (*body.lists_bound_again, *body.added_to)
    }
    yield from _variables_bound_again(building)
    graph = graph_on_devices(building)
    for file, name in _asked(building):
        if (file, name.id) in known or (graph is not None and name.id in graph.names | graph.sessions):
            continue  # what holds at a place is certain there
        found = building.home(file, name)
        if found is None:
            continue
        owner, bindings = found
        # what is read where another binding has not come yet, or in a function that runs later
        if (
            len(bindings) > 1
            and not _are_branches(file, bindings)
            and not _in_order(building, file, name, owner, bindings)
        ):
            yield Doubt(file, name, f"`{name.id}` is bound {len(bindings)} times")


def _variables_bound_again(building: Building) -> Iterator[Doubt]:
    """Names beside the towers that are a variable's, and something else's: a read behind the update is not seen."""
    for file, loop in building.loops:
        for name, bindings in file.meanings.scope(loop.statement).bindings.items():
            if {_is_variable(file, binding) for binding in bindings} == {True, False}:
                yield Doubt(file, loop.statement, f"`{name}` is a variable's name, and another's")


def _is_variable(file: File, binding: Binding) -> bool:
    value = binding.value if isinstance(binding, Assigned) else None
    return isinstance(value, ast.Call) and file.canonical(value.func) in _MAKERS


def _asked(building: Building) -> Iterator[tuple[File, ast.Name]]:
    """The names whose meaning decides what a session call does."""
    for file, call in building.runs:
        assert isinstance(call.func, ast.Attribute)
        if isinstance(call.func.value, ast.Name):
            yield file, call.func.value
        parts: list[ast.expr] = [*call.args, *(keyword.value for keyword in call.keywords)]
        while parts:
            part = parts.pop()
            if isinstance(part, ast.Name):
                yield file, part
            elif isinstance(part, ast.List | ast.Tuple):
                parts.extend(part.elts)
            elif isinstance(part, ast.Dict):
                parts.extend(key for key in part.keys if key is not None)
    for file in building.files:
        for feeds in file.all(ast.Dict):
            for key in feeds.keys:
                if isinstance(key, ast.Name):
                    if any(_is_placeholder(file, binding) for binding in file.meanings.bindings(key)):
                        yield file, key
    for file, loop in building.loops:
        for node in ast.walk(loop.statement):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                if node.func.attr in ("append", "extend", "compute_gradients"):
                    if isinstance(node.func.value, ast.Name):
                        yield file, node.func.value


def _are_branches(file: File, bindings: list[Binding]) -> bool:
    """Whether the bindings are in different branches of one `if`, so that only one of them holds."""
    branches: list[tuple[ast.AST, str]] = []
    for binding in bindings:
        node: ast.AST | None = (
            binding.value if isinstance(binding, Assigned) else getattr(binding, "node", None)
        )
        if node is None:
            return False
        around = next(((up, child) for up, child in _pairs(file, node) if isinstance(up, ast.If)), None)
        if around is None:
            return False
        branch = "body" if around[1] in around[0].body else "orelse"
        branches.append((around[0], branch))
    return len({conditional for conditional, _ in branches}) == 1 and len(set(branches)) == len(branches)


def _in_order(building: Building, file: File, asked: ast.Name, owner: Scope, bindings: list[Binding]) -> bool:
    """Whether a worker's graph binds a name, one statement after the other, before anything asks for it."""
    graphs = [block for where, block in building.placed if where is file] if not building.loops else []
    statements = [assignment_of(file, binding) for binding in bindings]
    return (
        file.meanings.scope(asked) is owner
        # a feed is of what it stands for last
        and not any(_is_placeholder(file, binding) for binding in bindings)
        and all(
            statement is not None and any(_comes_by_once(file, statement, block) for block in graphs)
            for statement in statements
        )
        and all(runs_at_once(file, read, owner.node) for read in reads_of(file, asked.id, owner.node))
        and max(statement.lineno for statement in statements if statement is not None) < asked.lineno
    )


def _is_placeholder(file: File, binding: Binding) -> bool:
    value = binding.value if isinstance(binding, Assigned) else None
    return isinstance(value, ast.Call) and file.canonical(value.func) in PLACEHOLDERS


def _comes_by_once(file: File, statement: ast.stmt, block: ast.With) -> bool:
    """Whether a statement runs once, if at all, when the block does."""
    for around in file.ancestors(statement):
        if around is block:
            return True
        if not isinstance(around, ast.With | ast.If):
            return False
    return False


def _pairs(file: File, node: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
    for up in file.ancestors(node):
        yield up, node
        node = up


#: a part of the examples' trainer
_HEAD = (
    "head: import numpy as np; import tensorflow as tf; N = 2; "
    "def average(towers):;     result = [];     for pairs in zip(*towers):;         "
    "grad = tf.concat([tf.expand_dims(g, 0) for g, _ in pairs], 0);         "
    "result.append((tf.reduce_mean(grad, 0), pairs[0][1]));     return result"
)

_WORKER = f"{worker_with(TWO, SUPERVISED)}\nlosses: train_op = opt.minimize(loss)"

RULE = Rule(
    code="T2T635",
    title="A name that training hangs on stands for several things",
    why="""
    What a name stands for is asked at one place and answered at another: at the run that fetches it, in a function
    that is written before the loop. Where it is bound more than once, the answer depends on when.
    """,
    todo="Give each value a name of its own.",
    doubts=doubts,
    doubtful=(
        f"{_WORKER}\nmodel: x = x / 2; y = tf.matmul(x, w)",
        f"{_WORKER}\nmodel: x = x / 2; y = tf.matmul(x, w)\n"
        "train: feeds = {x: batch}; print(sess.run([train_op, loss], feeds)[1])",
        "end: train_op = 'done'; print(train_op)",
        "after: loss = loss * 2",
        "after: loss += 1.0",
        "after: w = w * 2.0; seen = tf.reduce_sum(w)",
        "end: sess = None; print(sess)",
        "end: opt = None; print(opt)",
        f"{_HEAD}\naverage: count = len(grads); grads = average(grads); train_op = opt.apply_gradients(grads)",
        f"{_HEAD}\naverage: if N > 1:;     grads = average(grads); train_op = opt.apply_gradients(average(grads))",
        f"{_HEAD}\naverage: grads = average(grads); train_op = opt.apply_gradients(grads); grads = None",
        f"{_HEAD}\naverage: train_op = opt.apply_gradients(average(grads)); grads = train_op",
        f"{_WORKER}\nend: if N:;     train_op = tf.group(train_op)",
        f"{_WORKER}; for again in range(N):;             train_op = tf.group(train_op)",
        f"{_WORKER}; train_op = tf.group(train_op); named = lambda: train_op",
        f"{_WORKER}; train_op = tf.group(train_op); for train_op in [train_op]:;             pass",
    ),
    certain=(
        "loss: loss = tf.reduce_mean(tf.square(y)); loss += 0.1 * tf.nn.l2_loss(w)",
        f"{_WORKER}; if N:;             train_op = tf.group(train_op)",
        f"{_WORKER}; with tf.control_dependencies([loss]):;             train_op = tf.group(train_op)",
        "end: done = 'done'",
        f"{_HEAD}\naverage: grads = average(grads); train_op = opt.apply_gradients(grads)",
    ),
)

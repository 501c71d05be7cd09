"""T2T640: statements that plain trainers do not have, and names of builtins that stand for something else."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tf2towers.certain.building import SESSIONS, Building
from tf2towers.certain.rule import Doubt, Rule
from tf2towers.certain.without_towers import graph_on_devices
from tf2towers.exact.file import File
from tf2towers.names.meanings import Assigned
from tf2towers.source.nodes import Function

#: functions of Python's own that idiomatic forms call
_CALLED = frozenset({"dict", "enumerate", "int", "len", "list", "print", "range", "sum", "tuple", "zip"})

#: statements that plain trainers have not
_UNUSUAL: tuple[type[ast.AST], ...] = (
    ast.AnnAssign, ast.NamedExpr, ast.Global, ast.Nonlocal, ast.Match, ast.AsyncFunctionDef, ast.AsyncFor,
    ast.AsyncWith, ast.Await,
)  # fmt: skip
#: calls that go: TF 2 programs are eager
_BEHAVIOUR = frozenset({"tf.disable_v2_behavior", "tf.disable_eager_execution"})
#: functions of Python's own that may bind, or change, whatever has a name
_REACH_ANYTHING = frozenset(
    f"builtins.{name}"
    for name in ("__import__", "delattr", "eval", "exec", "globals", "locals", "setattr", "vars")
)
#: names that TensorFlow takes for a method's first one
_OF_CLASSES = frozenset({"self", "cls"})


def doubts(building: Building) -> Iterator[Doubt]:
    """Unusual statements; imports in a line with others; builtins that are bound."""
    main = building.program.main
    called = _CALLED if graph_on_devices(building) is None else {"list"}
    if main.script.notebook is not None:
        yield Doubt(main, main.tree, "a notebook")
    for file in building.files:
        if not file.main:
            yield from _shared_lines(file)
        for kind in _UNUSUAL:
            for node in file.all(kind):
                yield Doubt(file, node, f"an unusual statement ({kind.__name__})")
        for call in file.all(ast.Call):
            if file.canonical(call.func) in _REACH_ANYTHING:
                yield Doubt(file, call, f"`{file.text.of(call.func)}` may change anything")
        for item in file.all(ast.withitem):
            manager = item.context_expr
            made = building.value_of(file, manager) if isinstance(manager, ast.Name) else manager
            if made is not manager and not (
                isinstance(made, ast.Call) and file.canonical(made.func) in SESSIONS
            ):
                yield Doubt(file, manager, f"`{file.text.of(manager)}` is entered, and made elsewhere")
            if _enters_scope_of_elsewhere(file, manager):
                yield Doubt(
                    file, manager, f"`{file.text.of(manager)}` enters a scope that is taken elsewhere"
                )
        for assign in file.all(ast.Assign):
            if len(assign.targets) > 1:
                yield Doubt(file, assign, "one value for several names")
        for node in file.meanings.nodes:
            name = _bound_by(node)
            if name in called or (name in _OF_CLASSES and not _is_in_class(file, node)):
                yield Doubt(file, node, f"`{name}` stands for something else than Python's")
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Del):
                if file.function_around(node) is None:
                    yield Doubt(file, node, f"`{node.id}` is deleted")


def _shared_lines(file: File) -> Iterator[Doubt]:
    """What is rewritten as a line of its own, in modules whose lines stay as they are, and shares one."""
    for statement in [*file.imports, *file.all(ast.Expr)]:
        if isinstance(statement, ast.Expr):
            call = statement.value
            if not isinstance(call, ast.Call) or file.canonical(call.func) not in _BEHAVIOUR:
                continue
        around = file.parent(statement)
        for field in ("body", "orelse", "finalbody"):
            block = getattr(around, field, None)
            if isinstance(block, list) and statement in block:
                place = block.index(statement)
                line_before = block[place - 1].end_lineno if place else getattr(around, "lineno", 0)
                line_after = block[place + 1].lineno if place + 1 < len(block) else None
                if statement.lineno == line_before or statement.end_lineno == line_after:
                    yield Doubt(file, statement, "several statements in a line")


def _enters_scope_of_elsewhere(file: File, manager: ast.expr) -> bool:
    """Whether it is `tf.variable_scope(scope)` of a `scope = tf.get_variable_scope()`: a store has its own scopes."""
    if not isinstance(manager, ast.Call) or file.canonical(manager.func) != "tf.variable_scope":
        return False
    given = [
        *manager.args[:1],
        *(keyword.value for keyword in manager.keywords if keyword.arg == "name_or_scope"),
    ]
    return any(
        isinstance(binding, Assigned)
        and isinstance(binding.value, ast.Call)
        and file.canonical(binding.value.func) == "tf.get_variable_scope"
        for name in given
        if isinstance(name, ast.Name)
        for binding in file.meanings.bindings(name)
    )


def _is_in_class(file: File, node: ast.AST) -> bool:
    return any(isinstance(ancestor, ast.ClassDef) for ancestor in file.ancestors(node))


def _bound_by(node: ast.AST) -> str:
    """The name that a node binds; empty where it binds none."""
    if isinstance(node, ast.Name):
        return node.id if isinstance(node.ctx, ast.Store) else ""
    if isinstance(node, ast.arg):
        return node.arg
    if isinstance(node, ast.alias):
        return node.asname or node.name
    return node.name if isinstance(node, Function | ast.ClassDef) else ""


RULE = Rule(
    code="T2T640",
    title="Unusual statements, or a builtin's name for something else",
    why="""
    The idiomatic form takes statements from one place to another, and calls Python's own functions, as `sum` and
    `zip`, between them.
    """,
    todo="Write plain statements, imports in lines of their own, and give the value another name.",
    doubts=doubts,
    doubtful=(
        "losses: tower_losses.append(loss); last: object = loss",
        "after: a = b = loss",
        "before: graph = tf.Graph().as_default(); with graph:;     pass",
        "before: around = tf.get_variable_scope(); with tf.variable_scope(around):;     kept = tf.constant(1.0)",
        "before: sum = 3",
        "before: self = 3",
        "before: globals()['N'] = 2",
        "after: del i",
    ),
    certain=(
        "end: for number in range(N): print(number);; print(N)",
        "losses: tower_losses.append(loss);; last = loss",
        "before: total_sum = 3",
        "before: with tf.variable_scope(tf.get_variable_scope()):;     kept = tf.constant(1.0)",
    ),
)

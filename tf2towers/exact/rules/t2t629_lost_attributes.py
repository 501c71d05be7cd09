"""T2T629: attributes that a TF1 graph, its operations, tensors and variables have no more."""

from __future__ import annotations

import ast
from functools import cache
from typing import NamedTuple

from tf2towers.exact.data import rows
from tf2towers.exact.file import File
from tf2towers.exact.never_called import leave
from tf2towers.exact.python_versions import is_expected_to_fail
from tf2towers.exact.rule import Example, Rule


class _Lost(NamedTuple):
    owner: str
    today: str


@cache
def _lost() -> dict[str, _Lost]:
    return {name: _Lost(owner, today) for name, owner, today in rows("lost_attributes.tsv")}


def notes(file: File) -> None:
    """Leaves each read of such an attribute: of a value that is not `self`, where no class of the program has one."""
    found = [
        node
        for node in file.all(ast.Attribute)
        if node.attr in _lost() and isinstance(node.ctx, ast.Load) and not _is_self(node.value)
    ]
    own = _given(file) if found else frozenset()
    for node in found:
        if node.attr in own or file.canonical(node) is not None or is_expected_to_fail(file, node):
            continue
        lost = _lost()[node.attr]
        message = f"{node.attr} of {lost.owner} is no more{f'; today: {lost.today}' if lost.today else ''}"
        leave(file, node, "T2T629", message)


def _is_self(value: ast.expr) -> bool:
    return isinstance(value, ast.Name) and value.id in ("self", "cls")


def _given(file: File) -> frozenset[str]:
    """The attributes that the program gives values itself, in classes or anywhere."""
    found: set[str] = set()
    for meanings in file.program.library_names.all_meanings():
        for node in meanings.nodes:
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                found.add(node.attr)
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                found.add(node.name)
            elif isinstance(node, ast.ClassDef):
                found.update(
                    name.id
                    for statement in node.body
                    for name in ast.walk(statement)
                    if isinstance(name, ast.Name)
                )
    return frozenset(found)


RULE = Rule(
    code="T2T629",
    title="Attributes that a graph, its operations, tensors and variables have no more",
    does="refuses",
    why="""
    TensorFlow 2 keeps a graph's operations in C++, and its variables are resources: `graph._next_id()`,
    `tensor._value_index` and `variable._snapshot` are no more, and reading them raises. Attributes that are there still
    are left alone. Where a class of the program has an attribute of that name, it is taken for that one. What a
    variable's operation puts out was its value, and is a handle now: it is left where a type chooses it.
    """,
    todo="Write the public attribute that the message names, or do without, and migrate again. For what a variable's "
    "operation puts out, take the variable: `[v for v in tf.global_variables() if v.op.name == op.name]`.",
    notes=notes,
    sources=(
        "exact/data/lost_attributes.tsv",
        "TensorFlow 2.21: tensorflow/python/framework/ops.py, class Operation",
    ),
    examples=(
        Example(
            "a variable's value",
            "import tensorflow as tf\n\nw = tf.Variable(0.0)\nvalue = w._snapshot\ntf.Session().run(value)\n",
            left=True,
        ),
        Example(
            "the value by its operation",
            "import tensorflow as tf\n\ntf.get_variable('w', [2])\n"
            "operations = tf.get_default_graph().get_operations()\n"
            "print([op.outputs[0] for op in operations if op.type == 'VariableV2'])\n",
            left=True,
        ),
    ),
)

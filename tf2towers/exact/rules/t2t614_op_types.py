"""T2T614: an operation's type, compared with one that TF1's variables had."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tf2towers.exact.edits import Edit
from tf2towers.exact.file import File
from tf2towers.exact.rule import Example, Rule

#: types of TF1's variables and of what is done with them, or what a script looks for in a type
_OF_VARIABLES = re.compile(r"Variable(V2)?|Assign(Add|Sub)?|(Sparse)?Apply\w*|Scatter\w*")

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def edits(file: File) -> Iterator[Edit]:
    """What is asked for an operation's type, where the answer is held against a variable's type in TF1."""
    if file.program.is_tf2:
        return
    for comparison in file.all(ast.Compare):
        sides = [comparison.left, *comparison.comparators]
        if any(_names_a_type(side) for side in sides):
            yield from (_of_tf1(file, side) for side in sides if _is_type(file, side))
    for call in file.all(ast.Call):
        function = call.func
        if (
            isinstance(function, ast.Attribute)
            and function.attr in ("startswith", "endswith")
            and any(_names_a_type(argument) for argument in call.args)
            and _is_type(file, function.value)
        ):
            yield _of_tf1(file, function.value)


def _names_a_type(side: ast.expr) -> bool:
    """Whether a side of a comparison is the type of a variable's operation, or a list with one."""
    if isinstance(side, ast.Tuple | ast.List | ast.Set):
        return any(_names_a_type(element) for element in side.elts)
    return (
        isinstance(side, ast.Constant)
        and isinstance(side.value, str)
        and bool(_OF_VARIABLES.fullmatch(side.value))
    )


def _is_type(file: File, side: ast.expr) -> bool:
    """Whether it is `x.type` or `x.op_def.name` of an operation that no caller hands to the function.

    Functions that take an operation say on which device it goes: those are shown TF1's types by the runtime.
    """
    if not isinstance(side, ast.Attribute):
        return False
    if side.attr != "type" and not _is_name_of_op_def(side):
        return False
    root: ast.expr = side
    while isinstance(root, ast.Attribute | ast.Subscript | ast.Call):
        root = root.func if isinstance(root, ast.Call) else root.value
    if not isinstance(root, ast.Name):
        return True
    function = next((outer for outer in file.ancestors(side) if isinstance(outer, _FUNCTIONS)), None)
    if function is None or (isinstance(function, ast.Lambda) and _filters(file, function)):
        return True
    handed = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    return root.id == "self" or root.id not in {argument.arg for argument in handed}


def _filters(file: File, function: ast.Lambda) -> bool:
    """Whether the function chooses among operations, `filter(lambda op: ..., operations)`."""
    parent = file.parent(function)
    return isinstance(parent, ast.Call) and file.canonical(parent.func) == "builtins.filter"


def _is_name_of_op_def(side: ast.Attribute) -> bool:
    return side.attr == "name" and isinstance(side.value, ast.Attribute) and side.value.attr == "op_def"


def _of_tf1(file: File, side: ast.expr) -> Edit:
    """`op_type(x)` for `x.type` or `x.op_def.name`."""
    assert isinstance(side, ast.Attribute)
    operation = side.value
    if _is_name_of_op_def(side):
        assert isinstance(operation, ast.Attribute)
        operation = operation.value
    return file.replace(side, f"{file.need('op_type')}({file.text.of(operation)})")


RULE = Rule(
    code="T2T614",
    title="The types of TF1's variables",
    why="""
    The operation of a variable was a `VariableV2` in TF1, and what wrote to it an `Assign`; in TF 2 they are a
    `VarHandleOp` and an `AssignVariableOp`. A script that looks for its variables among the operations of the graph,
    `op.type == 'VariableV2'`, would find none. Where a type is held against one of these, our runtime gives TF1's.
    """,
    edits=edits,
    sources=("the operations of a graph with variables in TensorFlow 1.15.5",),
    examples=(
        Example(
            "variables found in the graph",
            "import tensorflow as tf\n\ntf.get_variable('w', [2])\n"
            "operations = tf.get_default_graph().get_operations()\n"
            "print([op.name for op in operations if op.type == 'VariableV2'])\n",
            "import tensorflow.compat.v1 as tf\nfrom tf2towers.runtime import graph_mode, op_type\n\ngraph_mode()\n\n"
            "tf.get_variable('w', [2])\noperations = tf.get_default_graph().get_operations()\n"
            "print([op.name for op in operations if op_type(op) == 'VariableV2'])\n",
        ),
        Example(
            "a function that says on which device an operation goes",
            "import tensorflow as tf\n\nwith tf.device(lambda op: '/cpu:0' if op.type == 'VariableV2' else ''):\n"
            "    tf.get_variable('w', [2])\n",
            "import tensorflow.compat.v1 as tf\nfrom tf2towers.runtime import graph_mode\n\ngraph_mode()\n\n"
            "with tf.device(lambda op: '/cpu:0' if op.type == 'VariableV2' else ''):\n"
            "    tf.get_variable('w', [2])\n",
        ),
    ),
)

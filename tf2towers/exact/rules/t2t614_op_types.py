"""T2T614: an operation's type, compared with one that TF1's variables had."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tf2towers.exact.edits import Edit
from tf2towers.exact.file import RUNTIME, File
from tf2towers.exact.never_called import leave
from tf2towers.exact.rule import Example, Rule

#: types of TF1's variables and of what is done with them, or what a script looks for in a type
_OF_VARIABLES = re.compile(r"Variable(V2)?|Assign(Add|Sub)?|(Sparse)?Apply\w*|Scatter\w*")

#: what does something for the operations of a type alone
_CHOICES = (ast.If, ast.IfExp, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def edits(file: File) -> Iterator[Edit]:
    """What is asked for an operation's type, where the answer is held against a variable's type in TF1."""
    if file.program.is_tf2:
        return
    held: list[tuple[list[ast.expr], list[ast.expr]]] = []
    for comparison in file.all(ast.Compare):
        sides = [comparison.left, *comparison.comparators]
        held.append((sides, sides))
    for call in file.all(ast.Call):
        if isinstance(call.func, ast.Attribute) and call.func.attr in ("startswith", "endswith"):
            held.append(([call.func.value], call.args))
    for asked, answers in held:
        types = [(side, operation) for side in asked if (operation := _operation(file, side)) is not None]
        if types and any(_names_a_type(file, answer) for answer in answers):
            for side, operation in types:
                _tell_of_outputs(file, side, operation)
                if not isinstance(side, ast.Call):
                    yield file.replace(side, f"{file.need('op_type')}({file.text.of(operation)})")


def _operation(file: File, side: ast.expr) -> ast.expr | None:
    """The operation that is asked: `x.type`, `x.op_def.name`, or `op_type(x)`; not in a lambda for `tf.device(...)`.

    That says on which device an operation goes: it is shown TF1's types by the runtime.
    """
    if isinstance(side, ast.Call):
        return side.args[0] if file.canonical(side.func) == f"{RUNTIME}.op_type" else None
    if not isinstance(side, ast.Attribute):
        return None
    if side.attr == "op" and _is_of_a_loop(file, side.value):
        return side
    operation: ast.expr | None = side.value if side.attr == "type" else None
    if side.attr == "name" and isinstance(side.value, ast.Attribute) and side.value.attr == "op_def":
        operation = side.value.value
    if operation is not None and any(_chooses_device(file, outer) for outer in file.ancestors(side)):
        return None
    return operation


def _is_of_a_loop(file: File, node: ast.expr) -> bool:
    """Whether it is what a loop goes through, as `node` of `graph.as_graph_def().node`, of which `op` is the type."""
    targets = (
        generator.target
        for outer in file.ancestors(node)
        for generator in ([outer] if isinstance(outer, ast.For) else getattr(outer, "generators", ()))
    )
    return isinstance(node, ast.Name) and any(
        isinstance(name, ast.Name) and name.id == node.id for target in targets for name in ast.walk(target)
    )


def _chooses_device(file: File, function: ast.AST) -> bool:
    parent = file.parent(function) if isinstance(function, ast.Lambda) else None
    return isinstance(parent, ast.Call) and file.canonical(parent.func) == "tf.device"


def _tell_of_outputs(file: File, side: ast.expr, operation: ast.expr) -> None:
    """Says where the output of a variable's operation is taken for its value: a resource's is a handle."""
    around = next((outer for outer in file.ancestors(side) if isinstance(outer, _CHOICES)), None)
    for node in ast.walk(around) if around is not None else ():
        if not isinstance(node, ast.Attribute) or node.attr != "outputs":
            continue
        if ast.unparse(node.value) == ast.unparse(operation):
            message = "the output of a variable's operation is its value in TF1, and a handle in TF 2"
            leave(file, node, "T2T629", message, stays="it stays in {}")


def _names_a_type(file: File, side: ast.expr) -> bool:
    """Whether a side of a comparison is the type of a variable's operation, or a list with one, or bound to it."""
    if isinstance(side, ast.Name):
        values = [
            assigned.value
            for assigned in file.all(ast.Assign)
            if any(isinstance(target, ast.Name) and target.id == side.id for target in assigned.targets)
        ]
        return any(_names_a_type(file, value) for value in values if not isinstance(value, ast.Name))
    if isinstance(side, ast.Tuple | ast.List | ast.Set):
        return any(_names_a_type(file, element) for element in side.elts)
    return (
        isinstance(side, ast.Constant)
        and isinstance(side.value, str)
        and bool(_OF_VARIABLES.fullmatch(side.value))
    )


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
            "a function that is asked of an operation, and types by a name",
            "import tensorflow as tf\n\nTYPES = ('Variable', 'VariableV2')\n\n\n"
            "def is_variable(op):\n    return op.type in TYPES\n\n\ntf.get_variable('w', [2])\n"
            "print(list(filter(is_variable, tf.get_default_graph().get_operations())))\n",
            "import tensorflow.compat.v1 as tf\nfrom tf2towers.runtime import graph_mode, op_type\n\n"
            "graph_mode()\n\nTYPES = ('Variable', 'VariableV2')\n\n\n"
            "def is_variable(op):\n    return op_type(op) in TYPES\n\n\ntf.get_variable('w', [2])\n"
            "print(list(filter(is_variable, tf.get_default_graph().get_operations())))\n",
        ),
        Example(
            "nodes of a graph's definition",
            "import tensorflow as tf\n\ntf.get_variable('w', [2])\nnodes = tf.get_default_graph().as_graph_def().node\n"
            "print([node.name for node in nodes if node.op == 'VariableV2'])\n",
            "import tensorflow.compat.v1 as tf\nfrom tf2towers.runtime import graph_mode, op_type\n\ngraph_mode()\n\n"
            "tf.get_variable('w', [2])\nnodes = tf.get_default_graph().as_graph_def().node\n"
            "print([node.name for node in nodes if op_type(node.op) == 'VariableV2'])\n",
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

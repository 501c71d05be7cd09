"""T2T614: an operation's type, compared with one that TF1's variables had."""

from __future__ import annotations

import re

import libcst as cst

from tf2towers.codemod import nodes
from tf2towers.codemod.program import File
from tf2towers.codemod.reached import note_site
from tf2towers.codemod.rule import Example, Rule
from tf2towers.codemod.symbols import RUNTIME

#: types of the ops of TF1's variables, or parts of these types that a script looks for
_OF_VARIABLES = re.compile(r"Variable(V2)?|Assign(Add|Sub)?|(Sparse)?Apply\w*|Scatter\w*")
#: functions that do something for the ops of one type only
_CHOICES = (cst.If, cst.IfExp, cst.ListComp, cst.SetComp, cst.DictComp, cst.GeneratorExp)


def _operation(file: File, side: cst.BaseExpression) -> cst.BaseExpression | None:
    """The operation that is asked: `x.type`, `x.op_def.name`, or `op_type(x)`; not in a lambda for `tf.device(...)`.

    That says on which device an operation goes: it is shown TF1's types by the runtime.
    """
    operation: cst.BaseExpression | None = None
    match side:
        case cst.Call() if file.canonical(side.func) == f"{RUNTIME}.op_type":
            return nodes.positional(side)[0]
        case cst.Attribute(attr=cst.Name(value="op")) if file.tree.loop_of(side.value) is not None:
            return side  # `node` of `graph.as_graph_def().node`, of which `op` is the type
        case cst.Attribute(attr=cst.Name(value="type")):
            operation = side.value
        case cst.Attribute(
            attr=cst.Name(value="name"), value=cst.Attribute(attr=cst.Name(value="op_def"), value=of)
        ):
            operation = of
    if operation is not None and any(_chooses_device(file, outer) for outer in file.ancestors(side)):
        return None
    return operation


def _chooses_device(file: File, function: cst.CSTNode) -> bool:
    parent = file.parent(function) if isinstance(function, cst.Lambda) else None
    return isinstance(parent, cst.Call) and file.canonical(parent.func) == "tf.device"


def _note_outputs(file: File, side: cst.BaseExpression, operation: cst.BaseExpression) -> None:
    """Notes where the output of a variable's op is used as its value: that of a resource variable is a handle."""
    around = next((outer for outer in file.ancestors(side) if isinstance(outer, _CHOICES)), None)
    for node in nodes.walk(around) if around is not None else ():
        if (
            isinstance(node, cst.Attribute)
            and node.attr.value == "outputs"
            and node.value.deep_equals(operation)
        ):
            message = "the output of a variable's operation is its value in TF1, and a handle in TF 2"
            note_site(file, node, "T2T629", message, stays="it stays in {}")


def _names_a_type(file: File, side: cst.BaseExpression) -> bool:
    """True if a side of a comparison is, or may be, the type of a variable's operation, or a list with one."""
    if isinstance(side, cst.Tuple | cst.List | cst.Set):
        return any(_names_a_type(file, element) for element in nodes.items(side))
    if nodes.is_literal(side):
        return _is_a_type(side)
    return any(map(_is_a_type, file.tree.literals))  # a name, `TYPES["variable"]`: any text of the file


def _is_a_type(text: cst.CSTNode) -> bool:
    return isinstance(value := nodes.literal(text), str) and bool(_OF_VARIABLES.fullmatch(value))


class VariableOpTypes(Rule):
    """The types of TF1's variables

    The operation of a variable was a `VariableV2` in TF1, and what wrote to it an `Assign`. In TF 2 they are a
    `VarHandleOp` and an `AssignVariableOp`. A script that looks for its variables among the operations of the graph,
    `op.type == 'VariableV2'`, would find none. Where a type is compared with one of these, the runtime gives TF1's.
    """

    sources = ("the operations of a graph with variables in TensorFlow 1.15.5",)
    examples = (
        Example(
            "variables found in the graph",
            """
                import tensorflow as tf

                tf.get_variable('w', [2])
                operations = tf.get_default_graph().get_operations()
                print([op.name for op in operations if op.type == 'VariableV2'])
                """,
            """
                import tensorflow.compat.v1 as tf
                from tf2towers.runtime import graph_mode, op_type

                graph_mode()

                tf.get_variable('w', [2])
                operations = tf.get_default_graph().get_operations()
                print([op.name for op in operations if op_type(op) == 'VariableV2'])
                """,
        ),
        Example(
            "a function that is asked of an operation, and types by a name",
            """
                import tensorflow as tf

                TYPES = ('Variable', 'VariableV2')


                def is_variable(op):
                    return op.type in TYPES


                tf.get_variable('w', [2])
                print(list(filter(is_variable, tf.get_default_graph().get_operations())))
                """,
            """
                import tensorflow.compat.v1 as tf
                from tf2towers.runtime import graph_mode, op_type

                graph_mode()

                TYPES = ('Variable', 'VariableV2')


                def is_variable(op):
                    return op_type(op) in TYPES


                tf.get_variable('w', [2])
                print(list(filter(is_variable, tf.get_default_graph().get_operations())))
                """,
        ),
        Example(
            "a function that says on which device an operation goes",
            """
                import tensorflow as tf

                with tf.device(lambda op: '/cpu:0' if op.type == 'VariableV2' else ''):
                    tf.get_variable('w', [2])
                """,
        ),
    )

    def applies(self) -> bool:
        """True if the program builds graphs."""
        return not self.file.program.is_tf2

    def visit_Comparison(self, node: cst.Comparison) -> None:
        """`op_type(op)` where an op's type is compared with a type that TF1's variables had."""
        self._ask(nodes.sides_of(node), nodes.sides_of(node))

    def visit_Call(self, node: cst.Call) -> None:
        """`op_type(op).startswith('Variable')`."""
        if isinstance(node.func, cst.Attribute) and node.func.attr.value in ("startswith", "endswith"):
            self._ask([node.func.value], nodes.positional(node))

    def _ask(self, asked: list[cst.BaseExpression], answers: list[cst.BaseExpression]) -> None:
        file = self.file
        types = [(side, operation) for side in asked if (operation := _operation(file, side)) is not None]
        if types and any(_names_a_type(file, answer) for answer in answers):
            for side, operation in types:
                _note_outputs(file, side, operation)
                if not isinstance(side, cst.Call):
                    self.replace(side, f"{file.need('op_type')}({{op}})", op=operation)

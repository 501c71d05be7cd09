"""T2T614: an operation's type, compared with one that TF1's variables had."""

from __future__ import annotations

import re
from typing import Any

import libcst as cst
import libcst.matchers as m

from tf2towers.codemod import nodes
from tf2towers.codemod.program import File
from tf2towers.codemod.reached import note_site
from tf2towers.codemod.rule import Example, Rule
from tf2towers.codemod.symbols import RUNTIME

#: types of the ops of TF1's variables, or parts of these types that a script looks for
_OF_VARIABLES = re.compile(r"Variable(V2)?|Assign(Add|Sub)?|(Sparse)?Apply\w*|Scatter\w*")
#: nodes that do something for the ops of one type only
_CHOICES = (
    cst.If, cst.IfExp, cst.ListComp, cst.SetComp, cst.DictComp, cst.GeneratorExp,
)  # fmt: skip
_OF = m.SaveMatchedNode(m.DoNotCare(), "operation")
_TYPE = m.Attribute(_OF, m.Name("type")) | m.Attribute(m.Attribute(_OF, m.Name("op_def")), m.Name("name"))


def _operation(file: File, side: cst.BaseExpression) -> cst.BaseExpression | None:
    """The operation that is asked: `x.type`, `x.op_def.name`, or `op_type(x)`; not in a lambda for `tf.device(...)`.

    That says on which device an operation goes: it is shown TF1's types by the runtime.
    """
    if isinstance(side, cst.Call):
        return side.args[0].value if file.called(side) == f"{RUNTIME}.op_type" else None
    match side:
        case cst.Attribute(value=node, attr=cst.Name(value="op")) if file.tree.loop_of(node) is not None:
            # `node` of `graph.as_graph_def().node`, of which `op` is the type
            return side
    found: Any = m.extract(side, _TYPE)
    takers = (file.parent(outer) for outer in file.ancestors(side) if isinstance(outer, cst.Lambda))
    is_free = "tf.device" not in map(file.called, takers)
    return found["operation"] if found is not None and is_free else None


def _note_outputs(file: File, side: cst.BaseExpression, operation: cst.BaseExpression) -> None:
    """Notes where the output of a variable's op is used as its value: that of a resource variable is a handle."""
    for node in nodes.walk(file.around(side, *_CHOICES) or side):
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
    # of a name: any text of the file
    texts = [str(nodes.literal(side))] if nodes.is_literal(side) else file.tree.texts
    return any(map(_OF_VARIABLES.fullmatch, texts))


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
    )

    def applies(self) -> bool:
        """True if the program builds graphs."""
        return not self.file.program.is_tf2

    def visit_Comparison(self, node: cst.Comparison) -> None:
        """`op_type(op)` where an op's type is compared with a type that TF1's variables had."""
        self._ask(nodes.sides_of(node), nodes.sides_of(node))

    def visit_Call(self, node: cst.Call) -> None:
        """`op_type(op).startswith('Variable')`."""
        is_asked = nodes.method_of(node) in ("startswith", "endswith")
        if isinstance(node.func, cst.Attribute) and is_asked:
            self._ask([node.func.value], nodes.positional(node))

    def _ask(self, asked: list[cst.BaseExpression], answers: list[cst.BaseExpression]) -> None:
        file = self.file
        types = [(side, operation) for side in asked if (operation := _operation(file, side)) is not None]
        if types and any(_names_a_type(file, answer) for answer in answers):
            for side, operation in types:
                _note_outputs(file, side, operation)
                if not isinstance(side, cst.Call):
                    self.replace(side, f"{file.need('op_type')}({{op}})", op=operation)

"""T2T613: a tensor's own class, compared."""

from __future__ import annotations

import libcst as cst

from tf2towers.codemod import nodes
from tf2towers.codemod.program import File
from tf2towers.codemod.rule import Example, Rule
from tf2towers.codemod.symbols import RUNTIME
from tf2towers.report.paths import with_quoted_code


def _of_class(file: File, side: cst.BaseExpression) -> cst.BaseExpression | None:
    """`x` of `type(x)` or `x.__class__`."""
    match side:
        case cst.Attribute(value=of, attr=cst.Name(value="__class__")):
            return of
        case cst.Call(args=[cst.Arg(value=of)]) if file.called(side) == "builtins.type":
            return of
    return None


class TensorClass(Rule):
    """A tensor's own class

    A tensor of a graph is a `SymbolicTensor` in TF 2, a subclass of `tf.Tensor`. `isinstance` says what it always did.
    But `type(x) == tf.Tensor`, true in TF1, would be false, and the script would take the branch for arrays. Where a
    class is compared with `tf.Tensor`, or its name with 'Tensor', the runtime gives TF1's.
    """

    sources = ("type(tf.constant(1)) in TensorFlow 1.15.5 and 2.21",)
    examples = (
        Example(
            "tensors and arrays",
            """
                import tensorflow as tf

                x = tf.placeholder(tf.float32, [])
                half = tf.divide(x, 2) if type(x) == tf.Tensor else x / 2
                """,
            """
                import tensorflow.compat.v1 as tf
                from tf2towers.runtime import class_of, graph_mode

                graph_mode()

                x = tf.placeholder(tf.float32, [])
                half = tf.divide(x, 2) if class_of(x) == tf.Tensor else x / 2
                """,
        ),
    )

    def applies(self) -> bool:
        """True if the program builds graphs."""
        return not self.file.program.is_tf2

    def visit_Comparison(self, node: cst.Comparison) -> None:
        """What is compared with `tf.Tensor` is TF1's class; a comparison of anything else is noted."""
        file, sides = self.file, nodes.sides_of(node)
        lists = (cst.Tuple, cst.List, cst.Set)
        listed = [
            each for side in sides for each in (nodes.items(side) if isinstance(side, lists) else [side])
        ]
        if any(file.canonical(each) == "tf.Tensor" for each in listed):
            asked = [(side, of) for side in sides if (of := _of_class(file, side)) is not None]
            if not asked and f"{RUNTIME}.class_of" not in map(file.called, sides):
                message = "a tensor's class is a subclass of tf.Tensor in TF 2: this comparison may give another result"
                file.note(node, "T2T620", with_quoted_code(message, file.text.of(node)))
        elif any(nodes.literal(each) == "Tensor" for each in listed):
            named = (
                side.value
                for side in sides
                if isinstance(side, cst.Attribute) and side.attr.value == "__name__"
            )
            asked = [(side, of) for side in named if (of := _of_class(file, side)) is not None]
        else:
            return
        for side, of in asked:
            self.replace(side, f"{file.need('class_of')}({{x}})", x=of)

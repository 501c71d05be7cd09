"""T2T613: a tensor's own class, compared."""

from __future__ import annotations

import libcst as cst

from tf2towers.codemod.changes import Change, replace
from tf2towers.codemod.nodes import is_plain, items, literal, sides_of
from tf2towers.codemod.program import File
from tf2towers.codemod.rule import Example, Rule
from tf2towers.codemod.symbols import RUNTIME
from tf2towers.report.paths import with_quoted_code


def _elements(side: cst.BaseExpression) -> list[cst.BaseExpression]:
    """A side of a comparison, or what a tuple or list has, at any depth."""
    if isinstance(side, cst.Tuple | cst.List | cst.Set):
        return [inner for element in items(side) for inner in _elements(element)]
    return [side]


def _is_type(file: File, side: cst.BaseExpression) -> bool:
    """True if it is `type(x)` or `x.__class__`."""
    if isinstance(side, cst.Call):
        return len(side.args) == 1 and is_plain(side.args[0]) and _called(file, side) == "builtins.type"
    return isinstance(side, cst.Attribute) and side.attr.value == "__class__"


def _called(file: File, side: cst.BaseExpression) -> str | None:
    return file.canonical(side.func) if isinstance(side, cst.Call) else None


def _class_text(file: File, side: cst.BaseExpression) -> Change:
    """`class_of(x)` for `type(x)` or `x.__class__`."""
    class_of = file.need("class_of")
    if isinstance(side, cst.Attribute):
        return replace(side, f"{class_of}({{x}})", x=side.value)
    return replace(cst.ensure_type(side, cst.Call).func, class_of)


class TensorClass(Rule):
    """A tensor's own class

    A tensor of a graph is a `SymbolicTensor` in TF 2, a subclass of `tf.Tensor`. `isinstance` says what it always did.
    But `type(x) == tf.Tensor`, true in TF1, would be false, and the script would take the branch for arrays. Where a
    class is compared with `tf.Tensor`, or its name with 'Tensor', the runtime gives TF1's.
    """

    sources = ("type(tf.constant(1)) in TensorFlow 1.15.5 and 2.21",)
    examples = (
        Example(
            "tensors and arrays in one function",
            """
                import tensorflow as tf


                def halved(x):
                    if type(x) == tf.Tensor:
                        return tf.divide(x, 2)
                    return x / 2


                print(halved(tf.placeholder(tf.float32, [])), halved(3))
                """,
            """
                import tensorflow.compat.v1 as tf
                from tf2towers.runtime import class_of, graph_mode

                graph_mode()


                def halved(x):
                    if class_of(x) == tf.Tensor:
                        return tf.divide(x, 2)
                    return x / 2


                print(halved(tf.placeholder(tf.float32, [])), halved(3))
                """,
        ),
        Example(
            "isinstance",
            """
                import tensorflow as tf

                x = tf.placeholder(tf.float32, [])
                print(isinstance(x, tf.Tensor))
                """,
        ),
    )

    def applies(self) -> bool:
        """True if the program builds graphs."""
        return not self.file.program.is_tf2

    def visit_Comparison(self, node: cst.Comparison) -> None:
        """What is compared with `tf.Tensor` is TF1's class; a comparison of anything else is noted."""
        file, sides = self.file, sides_of(node)
        listed = [element for side in sides for element in _elements(side)]
        if any(file.canonical(element) == "tf.Tensor" for element in listed):
            asked = [side for side in sides if _is_type(file, side)]
            if not asked and not any(_called(file, side) == f"{RUNTIME}.class_of" for side in sides):
                message = "a tensor's class is a subclass of tf.Tensor in TF 2: this comparison may give another result"
                file.note(node, "T2T620", with_quoted_code(message, file.text.of(node)))
            self.change(_class_text(file, side) for side in asked)
        elif any(literal(element) == "Tensor" for element in listed):
            for side in sides:
                named = isinstance(side, cst.Attribute) and side.attr.value == "__name__"
                if isinstance(side, cst.Attribute) and named and _is_type(file, side.value):
                    self.changes.append(_class_text(file, side.value))

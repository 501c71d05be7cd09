"""T2T613: a tensor's own class, compared."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tf2towers.exact.edits import Edit
from tf2towers.exact.file import RUNTIME, File
from tf2towers.exact.rule import Example, Rule
from tf2towers.report.quoted_code import with_quoted_code


def edits(file: File) -> Iterator[Edit]:
    """What is compared with `tf.Tensor` is TF1's class; a comparison of anything else is noted."""
    if file.program.is_tf2:
        return
    for comparison in file.all(ast.Compare):
        sides = [comparison.left, *comparison.comparators]
        if any(_is_the_class(file, side) for side in sides):
            asked = [side for side in sides if _is_type(file, side)]
            if not asked and not any(_is_answered(file, side) for side in sides):
                message = "a tensor's class is a subclass of tf.Tensor in TF 2: this comparison may answer otherwise"
                file.note(comparison, "T2T620", with_quoted_code(message, file.text.of(comparison)))
            yield from (_of_tf1(file, side) for side in asked)
        elif any(_is_its_name(side) for side in sides):
            yield from (
                _of_tf1(file, side.value)
                for side in sides
                if isinstance(side, ast.Attribute) and side.attr == "__name__" and _is_type(file, side.value)
            )


def _is_the_class(file: File, side: ast.expr) -> bool:
    """Whether a side of a comparison is `tf.Tensor`, or a tuple or list with it."""
    if isinstance(side, ast.Tuple | ast.List | ast.Set):
        return any(_is_the_class(file, element) for element in side.elts)
    return file.canonical(side) == "tf.Tensor"


def _is_its_name(side: ast.expr) -> bool:
    """Whether a side of a comparison is the text 'Tensor', or a tuple or list with it."""
    if isinstance(side, ast.Tuple | ast.List | ast.Set):
        return any(_is_its_name(element) for element in side.elts)
    return isinstance(side, ast.Constant) and side.value == "Tensor"


def _is_type(file: File, side: ast.expr) -> bool:
    """Whether it is `type(x)` or `x.__class__`."""
    if isinstance(side, ast.Call):
        return file.canonical(side.func) == "builtins.type" and len(side.args) == 1 and not side.keywords
    return isinstance(side, ast.Attribute) and side.attr == "__class__"


def _is_answered(file: File, side: ast.expr) -> bool:
    """Whether it is `class_of(x)` already."""
    return isinstance(side, ast.Call) and file.canonical(side.func) == f"{RUNTIME}.class_of"


def _of_tf1(file: File, side: ast.expr) -> Edit:
    """`class_of(x)` for `type(x)` or `x.__class__`."""
    class_of = file.need("class_of")
    if isinstance(side, ast.Call):
        return file.replace(side.func, class_of)
    assert isinstance(side, ast.Attribute)
    return file.replace(side, f"{class_of}({file.text.of(side.value)})")


RULE = Rule(
    code="T2T613",
    title="A tensor's own class",
    why="""
    A tensor of a graph is a `SymbolicTensor` in TF 2, a subclass of `tf.Tensor`. `isinstance` says what it always did,
    but `type(x) == tf.Tensor`, true in TF1, would be false, and the script would take the branch for arrays. Where a
    class is compared with `tf.Tensor`, or its name with 'Tensor', our runtime gives TF1's.
    """,
    edits=edits,
    sources=("type(tf.constant(1)) in TensorFlow 1.15.5 and 2.21",),
    examples=(
        Example(
            "tensors and arrays in one function",
            "import tensorflow as tf\n\n\ndef halved(x):\n    if type(x) == tf.Tensor:\n"
            "        return tf.divide(x, 2)\n    return x / 2\n\n\n"
            "print(halved(tf.placeholder(tf.float32, [])), halved(3))\n",
            "import tensorflow.compat.v1 as tf\nfrom tf2towers.runtime import class_of, graph_mode\n\n"
            "graph_mode()\n\n\ndef halved(x):\n    if class_of(x) == tf.Tensor:\n        return tf.divide(x, 2)\n"
            "    return x / 2\n\n\nprint(halved(tf.placeholder(tf.float32, [])), halved(3))\n",
        ),
        Example(
            "isinstance",
            "import tensorflow as tf\n\nx = tf.placeholder(tf.float32, [])\nprint(isinstance(x, tf.Tensor))\n",
            "import tensorflow.compat.v1 as tf\nfrom tf2towers.runtime import graph_mode\n\ngraph_mode()\n\n"
            "x = tf.placeholder(tf.float32, [])\nprint(isinstance(x, tf.Tensor))\n",
        ),
    ),
)

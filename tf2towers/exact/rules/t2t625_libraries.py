"""T2T625: a library that is itself built on TF1."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tf2towers.exact.edits import Edit
from tf2towers.exact.file import File
from tf2towers.exact.known_modules import is_tf1_library
from tf2towers.exact.rule import Example, Rule


def edits(file: File) -> Iterator[Edit]:
    """Notes each import of such a library."""
    found = file.program.imports.imports_of(file.path)
    for node in file.imports:
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
        if isinstance(node, ast.ImportFrom) and node.level:
            continue
        for name in names:
            root = name.partition(".")[0]
            if is_tf1_library(root) and not any(one.partition(".")[0] == root for one in found):
                file.note(
                    node, "T2T625", f"{root} is built on TensorFlow 1, and is not migrated with the script"
                )
    yield from ()


RULE = Rule(
    code="T2T625",
    title="A library that is built on TF1",
    does="refuses",
    why="""
    Sonnet 1, TensorLayer 1, TFLearn, Tensor2Tensor, standalone Keras and their like build TF1 graphs by calls that
    TF 2.21 has no more, or were never made for it. What they do in the program cannot be migrated from outside.
    """,
    todo="Replace the library's part of the model by core operations, or by the library's own release for TF 2.",
    edits=edits,
    examples=(
        Example(
            "a library of layers",
            "import tensorflow as tf\nimport tflearn\n\nx = tf.placeholder(tf.float32, [None, 4])\n"
            "y = tflearn.fully_connected(x, 2)\n",
            left=True,
        ),
    ),
)

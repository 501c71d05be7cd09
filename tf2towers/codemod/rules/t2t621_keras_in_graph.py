"""T2T621: Keras inside a TF1 graph: the table of symbols decides what tf_keras serves."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from tf2towers.codemod.edits import Edit
from tf2towers.codemod.file import File
from tf2towers.codemod.never_called import note_site
from tf2towers.codemod.nodes import (
    Import,
    Symbol,
    asname_of,
    imported,
    module_of,
    name_of,
    root_of,
)
from tf2towers.codemod.rule import Example, Rule
from tf2towers.codemod.symbols import find_replacement


def is_served(file: File) -> bool:
    """Whether `import keras` is tf_keras by the runtime: the table says so, and no module here has the name."""
    served = find_replacement("tf.keras").runtime is not None
    return served and file.program.is_tf1 and not file.program.imports.has(file.path, "keras")


def edits(file: File) -> Iterator[Edit]:
    """`from keras.layers import Dense` takes it from the runtime's Keras; what that lacks is left."""
    if "keras" not in file.script.text or not is_served(file):
        return
    runtime = find_replacement("tf.keras").runtime
    assert runtime is not None
    home = f"{runtime.module}.{runtime.name}"
    for statement in file.imports:
        names = [name for _, name in imported(statement) if f"{name}.".startswith("keras.")]
        if not names or any(_is_left(file, statement, name) for name in names):
            continue
        if isinstance(statement, cst.ImportFrom):
            assert statement.module is not None
            yield file.replace(root_of(statement.module), home)
            continue
        taken = [alias for alias in statement.names if name_of(alias) in names]
        if all(asname_of(alias) is not None for alias in taken):
            yield from (file.replace(root_of(alias.name), home) for alias in taken)
        elif len(statement.names) == 1:
            yield file.replace(statement, f"from {runtime.module} import {runtime.name}")
        else:
            file.note(statement, "T2T621", "import keras in a line of its own, and migrate again")
    for node in file.all(cst.Attribute):
        if not isinstance(file.parent(node), cst.Attribute) and isinstance(root_of(node), cst.Name):
            _is_left(file, node, file.canonical(node) or "")


def _is_left(file: File, node: Import | Symbol, name: str) -> bool:
    """Whether a name of Keras is not tf_keras's: it is noted."""
    if not name.startswith("keras.") or name.endswith(".*"):
        return False
    module = module_of(node) if isinstance(node, Import) else ""
    for dotted in (name, module):
        if dotted.startswith("keras.") and find_replacement(f"tf.{dotted}").kind == "left":
            note_site(
                file, node, "T2T621", f"{dotted} is not in tf_keras, which replaces Keras in a TF1 graph"
            )
            return True
    return False


RULE = Rule(
    code="T2T621",
    title="Keras inside a TF1 graph",
    does="refuses",
    edits=edits,
    why="""
    tf.keras in TF 2.21 is Keras 3, whose layers are not those of a TF1 graph. TF 1.15's Keras is the package tf_keras,
    under the same names. It becomes tf2towers.runtime.tf1.keras: layers and models on tensors, and models that train by
    themselves, on the runtime's session.

    What tf_keras lacks is left: `multi_gpu_model`, and most of what was called experimental. So are its recurrent
    layers: their variables have other names, and checkpoints would not fit.
    """,
    todo="Write it without that function, or migrate the model to Keras 3 by hand.",
    sources=("tables/keras.tsv",),
    examples=(
        Example(
            "a Keras layer on a placeholder",
            "import tensorflow as tf\n\nx = tf.placeholder(tf.float32, [None, 4])\ny = tf.keras.layers.Dense(2)(x)\n",
            "import tensorflow.compat.v1 as tf\nfrom tf2towers.runtime import graph_mode\n"
            "from tf2towers.runtime.tf1 import keras\n\ngraph_mode()\n\n"
            "x = tf.placeholder(tf.float32, [None, 4])\ny = keras.layers.Dense(2)(x)\n",
        ),
        Example(
            "towers made by Keras",
            "import tensorflow as tf\n\nx = tf.placeholder(tf.float32, [None, 4])\n"
            "model = tf.keras.utils.multi_gpu_model(tf.keras.Sequential(), 2)\n",
            left=True,
        ),
    ),
)

"""T2T625: a library that is itself built on TF1, in Python or in C++."""

from __future__ import annotations

import ast

from tf2towers.exact.file import File
from tf2towers.source.known_modules import is_tf1_library
from tf2towers.exact.libraries.changed import of_keras2
from tf2towers.exact.never_called import leave, stays_in
from tf2towers.exact.rule import Example, Rule
from tf2towers.names.tables import lookup
from tf2towers.report.result import FindingKind
from tf2towers.source.nodes import imported

#: what Keras's backend says of images and numbers; Keras 3 has it as it was
_FORMATS = frozenset({"epsilon", "floatx", "image_data_format", "set_image_data_format"})


def notes(file: File) -> None:
    """Notes each import of such a library, and each that is loaded."""
    if not file.program.is_tf1:
        _note_keras2(file)
        return
    for node in file.imports:
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
        if isinstance(node, ast.ImportFrom) and (node.level or _only_data(file, node)):
            continue
        if _only_formats(file, node):
            continue
        for name in names:
            root = name.partition(".")[0]
            if is_tf1_library(root) and not file.program.imports.has(file.path, root):
                message = f"{root} is built on TensorFlow 1, and is not migrated with the script"
                leave(file, node, "T2T625", message, stays="it is imported in {}")
    for used, canonical in file.symbols:
        if canonical == "tf.load_op_library":
            kind: FindingKind = "note" if _may_fail_to_load(file, used) else "left"
            message = (
                "a library of operations that was compiled for TensorFlow 1 does not load in TensorFlow 2"
            )
            file.note(used, "T2T625", message, kind)


def _only_data(file: File, node: ast.ImportFrom) -> bool:
    """Whether it takes nothing but Keras's data sets or `pad_sequences`, which Keras 3 has as they were."""
    names = [f"{node.module}.{alias.name}" for alias in node.names]
    used = [file.canonical(attribute) or "" for attribute in file.all(ast.Attribute)]
    return all(
        (name + ".").startswith(("keras.datasets.", "keras.preprocessing.sequence.pad_sequences."))
        and lookup("tf." + name).kind == "keep"
        for name in names
    ) and not any(of_keras2(name) for name in used if name.startswith("keras.datasets."))


def _only_formats(file: File, node: ast.Import | ast.ImportFrom) -> bool:
    """Whether it takes Keras's backend, and of that no more than formats, which build nothing."""
    taken = {alias.asname or alias.name: dotted for alias, dotted in imported(node)}
    if set(taken.values()) != {"keras.backend"} or any("." in name for name in taken):
        return False
    if any(file.program.library_names.is_taken(file, name) for name in taken):
        return False
    return all(
        isinstance(around := file.parent(name), ast.Attribute)
        and around.attr in _FORMATS
        and isinstance(around.ctx, ast.Load)
        for name in file.all(ast.Name)
        if name.id in taken
    )


def _note_keras2(file: File) -> None:
    """Notes what is gone from Keras: a program without a TF1 graph of its own may be one of Keras 2, towers and all."""
    if file.program.imports.has(file.path, "keras"):
        return
    for node in (*file.imports, *file.all(ast.Attribute)):
        if isinstance(file.parent(node), ast.Attribute):
            continue
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [dotted for _, dotted in imported(node)]
        else:
            names = [file.program.library_names.canonical(file, node) or ""]
        for name in names:
            gone = of_keras2(name) if name.startswith("keras.") else None
            if gone is not None:
                file.note(
                    node, "T2T625", f"{gone} is of Keras 2: Keras 3, which TF 2.16 and later have, has it not"
                )


def _may_fail_to_load(file: File, node: ast.Name | ast.Attribute) -> bool:
    """Whether the program goes on without the operations, or never loads them."""
    if stays_in(file, node, "") is not None:
        return True
    inner: ast.AST = node
    for around in file.ancestors(node):
        if isinstance(around, ast.Try) and inner in around.body and around.handlers:
            handled = " ".join(ast.unparse(handler) for handler in around.handlers)
            if "load_op_library" not in handled and "raise" not in handled and "exit" not in handled:
                return True
        inner = around
    return False


RULE = Rule(
    code="T2T625",
    title="A library that is built on TF1",
    does="refuses",
    why="""
    Sonnet 1, TensorLayer 1, TFLearn, Tensor2Tensor, standalone Keras and their like build TF1 graphs by calls that
    TF 2.21 has no more, or were never made for it. What they do in the program cannot be migrated from outside. Nor can
    operations in C++ (`tf.load_op_library`): what was compiled for TensorFlow 1 does not load in TensorFlow 2.
    A program on Keras without a graph of its own is left as it is where Keras 3 has all it names.
    """,
    todo="Replace the library's part of the model by core operations, or by the library's own release for TF 2; "
    "compile operations in C++ for TensorFlow 2 (C++17, with its headers).",
    notes=notes,
    examples=(
        Example(
            "a library of layers",
            "import tensorflow as tf\nimport tflearn\n\nx = tf.placeholder(tf.float32, [None, 4])\n"
            "y = tflearn.fully_connected(x, 2)\n",
            left=True,
        ),
        Example(
            "data sets of Keras",
            "import tensorflow as tf\nfrom keras.datasets import cifar10\n\nx = tf.placeholder(tf.uint8, [None])\n"
            "(images, labels), _ = cifar10.load_data()\n",
            "import tensorflow.compat.v1 as tf\nfrom keras.datasets import cifar10\n"
            "from tf2towers.runtime import graph_mode\n\ngraph_mode()\n\nx = tf.placeholder(tf.uint8, [None])\n"
            "(images, labels), _ = cifar10.load_data()\n",
        ),
        Example(
            "the format of Keras's images",
            "import tensorflow as tf\nfrom keras import backend as K\n\nK.set_image_data_format('channels_last')\n"
            "tf.Session().run(tf.zeros([2]), name=K.image_data_format())\n",
            "import tensorflow.compat.v1 as tf\nfrom keras import backend as K\n"
            "from tf2towers.runtime import Session, graph_mode\n\ngraph_mode()\n\n"
            "K.set_image_data_format('channels_last')\n"
            "Session().run(tf.zeros([2]), name=K.image_data_format())\n",
        ),
        Example(
            "a graph built by Keras's backend",
            "import tensorflow as tf\nfrom keras import backend as K\n\nx = tf.placeholder(tf.float32, [None])\n"
            "tf.Session().run(K.mean(x))\n",
            left=True,
        ),
        Example(
            "Keras 2 alone",
            "from keras.models import Sequential\nfrom keras.utils import multi_gpu_model\n\n"
            "model = multi_gpu_model(Sequential(), gpus=2)\n",
            left=True,
        ),
        Example(
            "operations in C++",
            "import tensorflow as tf\n\nwarp = tf.load_op_library('./warp.so')\nx = tf.placeholder(tf.float32, [4])\n"
            "y = warp.warp(x)\n",
            left=True,
        ),
    ),
)

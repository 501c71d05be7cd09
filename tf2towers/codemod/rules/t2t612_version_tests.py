"""T2T612: tests of TensorFlow's version."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from tf2towers.codemod.edits import Edit
from tf2towers.codemod.file import File
from tf2towers.codemod.rule import Example, Rule
from tf2towers.codemod.tensorflow_versions import TF1, around, is_answered, version_in


def edits(file: File) -> Iterator[Edit]:
    """The last version of TF1 where a version decides something."""
    for node, canonical in file.symbols:
        version = version_in(node, canonical)
        if version is not None and is_answered(file, version):
            yield file.replace(version, _quoted(file, version))


def _quoted(file: File, version: cst.BaseExpression) -> str:
    """The version of TF1, in quotes that do not end an f-string around it."""
    texts = [file.text.of(outer) for outer in around(file, version) if isinstance(outer, cst.FormattedString)]
    double = any(re.match(r"[fFrR]*\"", text) for text in texts)
    return f"'{TF1}'" if double else f'"{TF1}"'


RULE = Rule(
    code="T2T612",
    title="Tests of TensorFlow's version",
    why="""
    What a script does for TensorFlow 1 is what the other rules have migrated. So `if tf.__version__.startswith('1.'):`
    still takes that branch, not those for 0.x or for 2. The version is that of TF 1.15 where it is compared, split, or
    tested for a prefix, also under another name.

    It is TensorFlow's own where it is only printed, and where 1.15 as a text would be taken for 1.1 (`>= '1.4'`). A
    script that imports tensorflow.compat.v1 itself has tests that know TF 2: they stay.
    """,
    edits=edits,
    sources=("tf.__version__ of TensorFlow 1.15.5",),
    examples=(
        Example(
            "another order of the arguments for each version",
            "import tensorflow as tf\n\nx = tf.placeholder(tf.float32, [None])\n\n\ndef join(values, axis):\n"
            "    if tf.__version__.startswith('1.'):\n        return tf.concat(values, axis)\n"
            "    return tf.concat(axis, values)\n\n\nprint(tf.__version__, join([x, x], 0))\n",
            "import tensorflow.compat.v1 as tf\nfrom tf2towers.runtime import graph_mode\n\ngraph_mode()\n\n"
            "x = tf.placeholder(tf.float32, [None])\n\n\ndef join(values, axis):\n"
            "    if \"1.15.5\".startswith('1.'):\n        return tf.concat(values, axis)\n"
            "    return tf.concat(axis, values)\n\n\nprint(tf.__version__, join([x, x], 0))\n",
        ),
        Example(
            "a script that knows TF 2",
            "import tensorflow.compat.v1 as tf\n\nif tf.__version__ >= '2':\n    tf.disable_v2_behavior()\n"
            "tf.Session()\n",
            "import tensorflow.compat.v1 as tf\nfrom tf2towers.runtime import Session, graph_mode\n\ngraph_mode()\n\n"
            "if tf.__version__ >= '2':\n    pass\nSession()\n",
        ),
    ),
)

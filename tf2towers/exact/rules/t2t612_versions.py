"""T2T612: tests of TensorFlow's version."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tf2towers.exact.edits import Edit
from tf2towers.exact.file import File
from tf2towers.exact.rule import Example, Rule
from tf2towers.names.meanings import Imported

#: what a script made for TF1 is answered that asks for the version: the last release of TF1
_TF1 = "1.15.5"
_VERSIONS = frozenset({"tf.__version__", "tf.VERSION", "tf.version.VERSION"})
#: methods by which a version is taken apart or asked for its beginning
_METHODS = frozenset({"find", "partition", "rfind", "rpartition", "rsplit", "split", "startswith"})
#: what makes versions that can be compared: distutils, packaging, pkg_resources
_VERSION_MAKERS = frozenset({"LooseVersion", "StrictVersion", "Version", "parse", "parse_version"})


def edits(file: File) -> Iterator[Edit]:
    """The last version of TF1 where a version decides something."""
    for node, canonical in file.symbols:
        version = _tested_version(file, node, canonical)
        if version is not None and file.text.of(version).endswith(version.attr):
            yield file.replace(version, f'"{_TF1}"')


def _tested_version(file: File, node: ast.Name | ast.Attribute, canonical: str) -> ast.Attribute | None:
    """The version in a use of it that decides something; None where it is only told (`print(tf.__version__)`)."""
    version: ast.expr = node
    while canonical not in _VERSIONS and isinstance(version, ast.Attribute):
        version, canonical = version.value, canonical.rpartition(".")[0]
    if canonical not in _VERSIONS or not isinstance(version, ast.Attribute) or not _is_tf1s(file, version):
        return None
    if _is_one_number(file, version):
        return None
    if version is not node:
        around = file.parent(node)
        is_method = file.parent(version) is node and isinstance(node, ast.Attribute) and node.attr in _METHODS
        return version if is_method and isinstance(around, ast.Call) and around.func is node else None
    return version if _decides(file.parent(version), version) else None


def _is_tf1s(file: File, version: ast.Attribute) -> bool:
    """Whether `tf` of `tf.__version__` is `import tensorflow as tf`; `import tensorflow.compat.v1 as tf` knows TF 2."""
    home = version.value
    if isinstance(home, ast.Attribute) and home.attr == "version":
        home = home.value
    if not isinstance(home, ast.Name) or file.program.plain_is_tf2:
        return False
    bindings = file.meanings.bindings(home)
    return bool(bindings) and all(
        isinstance(one, Imported) and one.alias.name == "tensorflow" for one in bindings
    )


def _decides(around: ast.AST, version: ast.Attribute) -> bool:
    if isinstance(around, ast.Call):
        maker = around.func
        name = maker.attr if isinstance(maker, ast.Attribute) else getattr(maker, "id", None)
        return version in around.args and name in _VERSION_MAKERS
    if isinstance(around, ast.Compare):
        return all(
            _orders_as_text(side) for side in (around.left, *around.comparators) if side is not version
        )
    return isinstance(around, ast.Subscript) and around.value is version and _is_its_beginning(around.slice)


def _is_one_number(file: File, version: ast.Attribute) -> bool:
    """Whether a decimal number is made of a version, as in `float(...)`: 1.15 is below 1.4."""
    node: ast.AST = version
    while isinstance(node, ast.expr):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "float":
            return True
        node = file.parent(node)
    return False


def _orders_as_text(other: ast.expr) -> bool:
    """Whether 1.15.5 and another version have the same order as texts and as numbers; it is below '1.4' as a text.

    A script that asks for `>= '1.4'` so was never run on 1.10 or later; TensorFlow 2's own version answers as it meant.
    """
    if isinstance(other, ast.Tuple | ast.List | ast.Set):
        return all(map(_orders_as_text, other.elts))
    if not isinstance(other, ast.Constant) or not isinstance(other.value, str):
        return False
    numbers = re.findall(r"\d+", other.value)
    if not numbers:
        return False
    ours, theirs = (1, 15, 5), tuple(map(int, numbers))
    return (other.value > _TF1) == (ours < theirs) and (other.value < _TF1) == (ours > theirs)


def _is_its_beginning(index: ast.expr) -> bool:
    """Whether `[index]` is '1' or '1.': the three signs '1.1' would be another minor version's."""
    if isinstance(index, ast.Slice):
        return (
            (index.lower is None or getattr(index.lower, "value", None) == 0)
            and index.step is None
            and getattr(index.upper, "value", None) in (1, 2)
        )
    return isinstance(index, ast.Constant) and index.value == 0


RULE = Rule(
    code="T2T612",
    title="Tests of TensorFlow's version",
    why="""
    What a script does for TensorFlow 1 is what the other rules have migrated: `if tf.__version__.startswith('1.'):`
    goes there still, and neither to what it does for 0.x nor to what it does for 2. The version is that of the last TF1
    where it is compared, taken apart or asked for its beginning; where it is only told it is TensorFlow's own. A script
    that imports tensorflow.compat.v1 itself has tests that know TF 2, and they stay.
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

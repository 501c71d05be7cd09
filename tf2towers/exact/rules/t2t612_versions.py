"""T2T612: tests of TensorFlow's version."""

from __future__ import annotations

import ast
import contextlib
import re
from collections.abc import Iterator
from typing import Literal

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

#: what a use of the version is for: a decision, which is TF 1.15's; one that takes 1.15 for 1.1, which no script was
#: written for; or it is only told
_Use = Literal["decides", "mistakes", "tells"]


def edits(file: File) -> Iterator[Edit]:
    """The last version of TF1 where a version decides something."""
    for node, canonical in file.symbols:
        version = _version(node, canonical)
        if version is None or not _is_tf1s(file, version):
            continue
        # in f-strings of Python before 3.12 places are not where they are said to be
        if _use(file, version) == "decides" and file.text.of(version) == ast.unparse(version):
            yield file.replace(version, _quoted(file, version))


def _version(node: ast.Name | ast.Attribute, canonical: str) -> ast.expr | None:
    """The version in a symbol: all of it, or what a method of it is called on."""
    version: ast.expr = node
    name = canonical
    while name not in _VERSIONS and isinstance(version, ast.Attribute):
        version, name = version.value, name.rpartition(".")[0]
    return version if name in _VERSIONS else None


def _quoted(file: File, version: ast.expr) -> str:
    """The version of TF1, in quotes that do not end an f-string around it."""
    texts = [file.text.of(around) for around in _around(file, version) if isinstance(around, ast.JoinedStr)]
    double = any(re.match(r"[fFrR]*\"", text) for text in texts)
    return f"'{_TF1}'" if double else f'"{_TF1}"'


def _is_tf1s(file: File, version: ast.expr) -> bool:
    """Whether a version is that of `import tensorflow as tf`; `import tensorflow.compat.v1 as tf` knows TF 2."""
    if file.program.plain_is_tf2:
        return False
    home = version
    while isinstance(home, ast.Attribute):
        home = home.value
    bindings = file.meanings.bindings(home) if isinstance(home, ast.Name) else ()
    return bool(bindings) and all(
        isinstance(binding, Imported)
        and (binding.alias.name == "tensorflow" or getattr(binding.statement, "module", None) == "tensorflow")
        for binding in bindings
    )


def _use(file: File, version: ast.expr) -> _Use:
    """What a version is for; one that is kept under a name, for what its uses are."""
    around = file.parent(version)
    if isinstance(around, ast.Assign) and all(isinstance(target, ast.Name) for target in around.targets):
        names = {target.id for target in around.targets if isinstance(target, ast.Name)}
        loads = [use for use in file.all(ast.Name) if use.id in names and isinstance(use.ctx, ast.Load)]
        uses = {_use_here(file, load) for load in loads}
        return "mistakes" if "mistakes" in uses else "decides" if "decides" in uses else "tells"
    return _use_here(file, version)


def _use_here(file: File, version: ast.expr) -> _Use:
    """The same for a use that is no assignment."""
    around = file.parent(version)
    if isinstance(around, ast.Compare):
        others = [side for side in (around.left, *around.comparators) if side is not version]
        same = all(_orders_as_text(text) for side in others for text in _texts(side))
        return "decides" if same else "mistakes"
    if isinstance(around, ast.Attribute):
        call = file.parent(around)
        if around.attr not in _METHODS or not isinstance(call, ast.Call) or call.func is not around:
            return "tells"  # `.upper()`
        return _of_number(file, version) if _is_one_number(file, version) else "decides"
    if isinstance(around, ast.Call) and version in around.args:
        name = (
            around.func.attr if isinstance(around.func, ast.Attribute) else getattr(around.func, "id", None)
        )
        return "decides" if name in _VERSION_MAKERS else "tells"
    if isinstance(around, ast.Subscript) and around.value is version:
        return "decides" if _is_its_beginning(around.slice) else _of_number(file, version)
    return "tells"


def _texts(other: ast.expr) -> list[str]:
    """The versions that one is compared with; none where they are not constants."""
    if isinstance(other, ast.Tuple | ast.List | ast.Set):
        found = [_texts(element) for element in other.elts]
        return [text for texts in found for text in texts] if all(found) else []
    if isinstance(other, ast.Constant) and isinstance(other.value, str) and re.search(r"\d", other.value):
        return [other.value]
    return []


def _orders_as_text(other: str) -> bool:
    """Whether 1.15.5 and another version have the same order as texts and as numbers: '1.15.5' is below '1.4'.

    Where they have not, the other is one of TF1, and TensorFlow 2's own version is above it as both.
    """
    ours, theirs = (1, 15, 5), tuple(map(int, re.findall(r"\d+", other)))
    return (other > _TF1) == (ours < theirs) and (other < _TF1) == (ours > theirs)


def _is_one_number(file: File, version: ast.expr) -> bool:
    """Whether a decimal number is made of a version, as in `float(...)`: 1.15 is below 1.4."""
    return any(
        isinstance(around, ast.Call) and isinstance(around.func, ast.Name) and around.func.id == "float"
        for around in _around(file, version)
    )


def _of_number(file: File, version: ast.expr) -> _Use:
    """The same for the beginning of a version, '1.1' or 1.15, by the one constant that it is compared with."""
    for around in _around(file, version):
        if isinstance(around, ast.Compare) and len(around.comparators) == 1:
            sides = (around.left, around.comparators[0])
            constants = [str(side.value) for side in sides if isinstance(side, ast.Constant)]
            with contextlib.suppress(ValueError):
                return "mistakes" if len(constants) == 1 and float(constants[0]) < 2 else "decides"
    return "decides"


def _around(file: File, node: ast.AST) -> Iterator[ast.expr]:
    """The expressions that a node is a part of, from the inside."""
    while isinstance(node := file.parent(node), ast.expr):
        yield node


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
    where it is compared, taken apart or asked for its beginning, also under a name; where it is only told it is
    TensorFlow's own, and so it is where 1.15 would be taken for 1.1 (`>= '1.4'`, as a text). A script that imports
    tensorflow.compat.v1 itself has tests that know TF 2, and they stay.
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

"""T2T612: tests of TensorFlow's version."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from typing import Any, Literal

import libcst as cst
import libcst.matchers as m

from tf2towers.codemod import nodes
from tf2towers.codemod.meanings import Imported
from tf2towers.codemod.program import File
from tf2towers.codemod.rule import Example, Rule
from tf2towers.codemod.symbols import VERSIONS

#: the version that a script for TF1 gets if it asks: the last release of TF1
TF1 = "1.15.5"
#: methods that split a version, or test how it begins
_METHODS = frozenset({"find", "partition", "rfind", "rpartition", "rsplit", "split", "startswith"})
#: functions whose results are versions that can be compared: of distutils, packaging, pkg_resources
_VERSION_MAKERS = frozenset({"LooseVersion", "StrictVersion", "Version", "parse", "parse_version"})
#: '1' or '1.' of the version: the three signs '1.1' would be another minor version's
_END = m.Integer("1") | m.Integer("2")
_INDEX: Any = m.OneOf(m.Index(m.Integer("0")), m.Slice(None, _END, None), m.Slice(m.Integer("0"), _END, None))
_BEGINNING = m.Subscript(slice=[m.SubscriptElement(_INDEX)])

#: what a use of the version is for: a decision, which is TF 1.15's; one that takes 1.15 for 1.1, which no script was
#: written for; or it is only shown
_Use = Literal["decides", "mistakes", "shows"]


def _quoted(file: File, version: cst.BaseExpression) -> str:
    """The version of TF1, in quotes that do not end an f-string around it."""
    around = (outer for outer in _around(file, version) if isinstance(outer, cst.FormattedString))
    double = any(outer.quote.startswith('"') for outer in around)
    return f"'{TF1}'" if double else f'"{TF1}"'


def _version_in(node: nodes.Symbol, canonical: str) -> nodes.Symbol | None:
    """The version in a symbol: all of it, or what a method of it is called on."""
    version: cst.BaseExpression = node
    name = canonical
    while name not in VERSIONS and isinstance(version, cst.Attribute):
        version, name = version.value, name.rpartition(".")[0]
    return version if name in VERSIONS and isinstance(version, nodes.Symbol) else None


def _is_tf1s(file: File, version: nodes.Symbol) -> bool:
    """True if a version is that of `import tensorflow as tf`; `import tensorflow.compat.v1 as tf` knows TF 2."""
    if file.program.plain_is_tf2:
        return False
    bindings = file.meanings.bindings(nodes.root_of(version))
    return bool(bindings) and all(
        isinstance(binding, Imported)
        and "tensorflow" in (nodes.name_of(binding.alias), nodes.module_of(binding.statement))
        for binding in bindings
    )


def _find_use(file: File, version: nodes.Symbol) -> _Use:
    """The use of a version; for a version that is assigned to a name, the use of the name."""
    statement = file.parent(version)
    if isinstance(statement, cst.Assign) and all(map(nodes.is_name, nodes.targets(statement))):
        names = set(map(nodes.last_name, nodes.targets(statement)))
        loads = [use for use in file.all(cst.Name) if use.value in names and file.is_read(use)]
        uses = {_find_direct_use(file, load) for load in loads}
        return "mistakes" if "mistakes" in uses else "decides" if "decides" in uses else "shows"
    return _find_direct_use(file, version)


def _find_direct_use(file: File, version: cst.BaseExpression) -> _Use:
    """As `_find_use`, for a version that is used directly, and not assigned to a name."""
    around = file.parent(version)
    match around:
        case cst.Comparison():
            others = [side for side in nodes.sides_of(around) if side is not version]
            same = all(_orders_as_text(text) for side in others for text in _compared_versions(side))
            return "decides" if same else "mistakes"
        case cst.Attribute():
            call = file.parent(around)
            if around.attr.value not in _METHODS or not isinstance(call, cst.Call) or call.func is not around:
                return "shows"  # `.upper()`
            calls = (outer.func for outer in _around(file, version) if isinstance(outer, cst.Call))
            is_number = any(nodes.is_name(called) and called.value == "float" for called in calls)
            return _of_number(file, version) if is_number else "decides"  # 1.15 is below 1.4
        case cst.Call() if version in nodes.positional(around):
            return "decides" if nodes.last_name(around.func) in _VERSION_MAKERS else "shows"
        case cst.Subscript(value=value) if value is version:
            return "decides" if m.matches(around, _BEGINNING) else _of_number(file, version)
    return "shows"


def _compared_versions(other: cst.BaseExpression) -> list[str]:
    """The versions that a version is compared with; none if they are not constants."""
    if isinstance(other, cst.Tuple | cst.List | cst.Set):
        found = [_compared_versions(element) for element in nodes.items(other)]
        return [text for texts in found for text in texts] if all(found) else []
    value = nodes.literal(other)
    return [value] if isinstance(value, str) and re.search(r"\d", value) else []


def _orders_as_text(other: str) -> bool:
    """True if 1.15.5 and another version have the same order as texts and as numbers: '1.15.5' is below '1.4'.

    Where they do not, the other is one of TF1, and TensorFlow 2's own version is above it as both.
    """
    own, theirs = (1, 15, 5), tuple(map(int, re.findall(r"\d+", other)))
    return (other > TF1) == (own < theirs) and (other < TF1) == (own > theirs)


def _of_number(file: File, version: cst.BaseExpression) -> _Use:
    """The use of a version's beginning, '1.1' or 1.15, by the one constant that it is compared with."""
    for outer in _around(file, version):
        if (sides := nodes.compared(outer)) is not None:
            constants = [str(nodes.literal(side)) for side in (sides[0], sides[2]) if nodes.is_literal(side)]
            with contextlib.suppress(ValueError):
                return "mistakes" if len(constants) == 1 and float(constants[0]) < 2 else "decides"
    return "decides"


def _around(file: File, node: cst.CSTNode) -> Iterator[cst.BaseExpression]:
    """The expressions that a node is a part of, from the inside."""
    parts = cst.Arg | cst.FormattedStringExpression
    while isinstance(node := file.parent(node), cst.BaseExpression | parts):
        if isinstance(node, cst.BaseExpression):
            yield node


class VersionTests(Rule):
    """Tests of TensorFlow's version

    What a script does for TensorFlow 1 is what the other rules have migrated. So `if tf.__version__.startswith('1.'):`
    still takes that branch, not those for 0.x or for 2. The version is that of TF 1.15 where it is compared, split, or
    tested for a prefix, also under another name.

    It is TensorFlow's own where it is only printed, and where 1.15 as a text would be taken for 1.1 (`>= '1.4'`). A
    script that imports tensorflow.compat.v1 itself has tests that know TF 2: they stay.
    """

    sources = ("tf.__version__ of TensorFlow 1.15.5",)
    examples = (
        Example(
            "another order of the arguments for each version",
            """
                import tensorflow as tf

                x = tf.placeholder(tf.float32, [None])


                def join(values, axis):
                    if tf.__version__.startswith('1.'):
                        return tf.concat(values, axis)
                    return tf.concat(axis, values)


                print(tf.__version__, join([x, x], 0))
                """,
            """
                import tensorflow.compat.v1 as tf
                from tf2towers.runtime import graph_mode

                graph_mode()

                x = tf.placeholder(tf.float32, [None])


                def join(values, axis):
                    if "1.15.5".startswith('1.'):
                        return tf.concat(values, axis)
                    return tf.concat(axis, values)


                print(tf.__version__, join([x, x], 0))
                """,
        ),
        Example(
            "a script that knows TF 2",
            """
                import tensorflow.compat.v1 as tf

                if tf.__version__ >= '2':
                    tf.disable_v2_behavior()
                tf.Session()
                """,
        ),
    )

    def visit_Symbol(self, node: nodes.Symbol, canonical: str) -> None:
        """Replaces a version by that of the last TF1, where the script decides something by it."""
        file, version = self.file, _version_in(node, canonical)
        if version is not None and _is_tf1s(file, version) and _find_use(file, version) == "decides":
            self.replace(version, _quoted(file, version))

"""Tests of TensorFlow's version: what TF 1.15 answers, and what a script does for another TensorFlow."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

import libcst as cst

from tf2towers.codemod.meanings import Imported
from tf2towers.codemod.nodes import (
    Symbol,
    compared,
    index_of,
    is_literal,
    is_name,
    items,
    last_name,
    literal,
    name_of,
    positional,
    root_of,
    targets,
)

if TYPE_CHECKING:
    from tf2towers.codemod.file import File

#: what a script made for TF1 is answered that asks for the version: the last release of TF1
TF1 = "1.15.5"
VERSIONS = frozenset({"tf.__version__", "tf.VERSION", "tf.version.VERSION"})
#: methods by which a version is taken apart or asked for its beginning
_METHODS = frozenset({"find", "partition", "rfind", "rpartition", "rsplit", "split", "startswith"})
#: what makes versions that can be compared: distutils, packaging, pkg_resources
_VERSION_MAKERS = frozenset({"LooseVersion", "StrictVersion", "Version", "parse", "parse_version"})

#: what a use of the version is for: a decision, which is TF 1.15's; one that takes 1.15 for 1.1, which no script was
#: written for; or it is only shown
_Use = Literal["decides", "mistakes", "shows"]


def is_answered(file: File, version: Symbol) -> bool:
    """Whether a version is TF 1.15's in the migrated script."""
    return _is_tf1s(file, version) and _find_use(file, version) == "decides"


def version_in(node: Symbol, canonical: str) -> Symbol | None:
    """The version in a symbol: all of it, or what a method of it is called on."""
    version: cst.BaseExpression = node
    name = canonical
    while name not in VERSIONS and isinstance(version, cst.Attribute):
        version, name = version.value, name.rpartition(".")[0]
    return version if name in VERSIONS and isinstance(version, Symbol) else None


def _is_tf1s(file: File, version: Symbol) -> bool:
    """Whether a version is that of `import tensorflow as tf`; `import tensorflow.compat.v1 as tf` knows TF 2."""
    if file.program.plain_is_tf2:
        return False
    bindings = file.meanings.bindings(root_of(version))
    return bool(bindings) and all(
        isinstance(binding, Imported)
        and (
            name_of(binding.alias) == "tensorflow"
            or last_name(getattr(binding.statement, "module", None)) == "tensorflow"
        )
        for binding in bindings
    )


def _find_use(file: File, version: Symbol) -> _Use:
    """What a version is for; one that is kept under a name, for what its uses are."""
    statement = file.parent(version)
    if isinstance(statement, cst.Assign) and all(map(is_name, targets(statement))):
        names = set(map(last_name, targets(statement)))
        loads = [use for use in file.all(cst.Name) if use.value in names and file.is_read(use)]
        uses = {_find_direct_use(file, load) for load in loads}
        return "mistakes" if "mistakes" in uses else "decides" if "decides" in uses else "shows"
    return _find_direct_use(file, version)


def _find_direct_use(file: File, version: cst.BaseExpression) -> _Use:
    """As `_find_use`, for a version that is used directly, and not assigned to a name."""
    around = file.parent(version)
    match around:
        case cst.Comparison():
            sides = [around.left, *(each.comparator for each in around.comparisons)]
            others = [side for side in sides if side is not version]
            same = all(_orders_as_text(text) for side in others for text in _compared_versions(side))
            return "decides" if same else "mistakes"
        case cst.Attribute():
            call = file.parent(around)
            if around.attr.value not in _METHODS or not isinstance(call, cst.Call) or call.func is not around:
                return "shows"  # `.upper()`
            return _of_number(file, version) if _is_one_number(file, version) else "decides"
        case cst.Call() if version in positional(around):
            return "decides" if last_name(around.func) in _VERSION_MAKERS else "shows"
        case cst.Subscript(value=value) if value is version:
            return "decides" if _is_its_beginning(around) else _of_number(file, version)
    return "shows"


def _compared_versions(other: cst.BaseExpression) -> list[str]:
    """The versions that one is compared with; none where they are not constants."""
    if isinstance(other, cst.Tuple | cst.List | cst.Set):
        found = [_compared_versions(element) for element in items(other)]
        return [text for texts in found for text in texts] if all(found) else []
    value = literal(other)
    return [value] if isinstance(value, str) and re.search(r"\d", value) else []


def _orders_as_text(other: str) -> bool:
    """Whether 1.15.5 and another version have the same order as texts and as numbers: '1.15.5' is below '1.4'.

    Where they do not, the other is one of TF1, and TensorFlow 2's own version is above it as both.
    """
    own, theirs = (1, 15, 5), tuple(map(int, re.findall(r"\d+", other)))
    return (other > TF1) == (own < theirs) and (other < TF1) == (own > theirs)


def _is_one_number(file: File, version: cst.BaseExpression) -> bool:
    """Whether a decimal number is made of a version, as in `float(...)`: 1.15 is below 1.4."""
    return any(
        isinstance(outer, cst.Call) and is_name(outer.func) and outer.func.value == "float"
        for outer in around(file, version)
    )


def _of_number(file: File, version: cst.BaseExpression) -> _Use:
    """The same for the beginning of a version, '1.1' or 1.15, by the one constant that it is compared with."""
    for outer in around(file, version):
        if (sides := compared(outer)) is not None:
            constants = [str(literal(side)) for side in (sides[0], sides[2]) if is_literal(side)]
            with contextlib.suppress(ValueError):
                return "mistakes" if len(constants) == 1 and float(constants[0]) < 2 else "decides"
    return "decides"


def around(file: File, node: cst.CSTNode) -> Iterator[cst.BaseExpression]:
    """The expressions that a node is a part of, from the inside."""
    parts = cst.Arg | cst.FormattedStringExpression
    while isinstance(node := file.parent(node), cst.BaseExpression | parts):
        if isinstance(node, cst.BaseExpression):
            yield node


def _is_its_beginning(item: cst.Subscript) -> bool:
    """Whether `[index]` is '1' or '1.': the three signs '1.1' would be another minor version's."""
    index = index_of(item)
    if isinstance(index, cst.Slice):
        starts = index.lower is None or literal(index.lower) == 0
        return starts and index.step is None and literal(index.upper) in (1, 2)
    return bool(literal(index) == 0)

"""Tests of TensorFlow's version: what TF 1.15 answers, and what a script does for another TensorFlow."""

from __future__ import annotations

import ast
import contextlib
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Literal

from tf2towers.exact.reached.branches import COMPARE, branches_around
from tf2towers.names.meanings import Assigned, Imported
from tf2towers.source.nodes import last_name, root_of

if TYPE_CHECKING:
    from tf2towers.exact.file import File

#: what a script made for TF1 is answered that asks for the version: the last release of TF1
TF1 = "1.15.5"
VERSIONS = frozenset({"tf.__version__", "tf.VERSION", "tf.version.VERSION"})
#: methods by which a version is taken apart or asked for its beginning
_METHODS = frozenset({"find", "partition", "rfind", "rpartition", "rsplit", "split", "startswith"})
#: what makes versions that can be compared: distutils, packaging, pkg_resources
_VERSION_MAKERS = frozenset({"LooseVersion", "StrictVersion", "Version", "parse", "parse_version"})

#: what a use of the version is for: a decision, which is TF 1.15's; one that takes 1.15 for 1.1, which no script was
#: written for; or it is only told
_Use = Literal["decides", "mistakes", "tells"]

_CALLS: dict[str, Callable[..., Any]] = {each.__name__: each for each in (bool, float, int, list, tuple)}


def is_for_another(file: File, node: ast.AST) -> bool:
    """Whether a place is only reached with another TensorFlow than 1.15: in `if tf.__version__ < '1.0':`."""
    return any(_truth(file, test) is (not is_yes) for test, is_yes in branches_around(file, node))


def is_answered(file: File, version: ast.expr) -> bool:
    """Whether a version is TF 1.15's in the migrated script."""
    if not _is_tf1s(file, version) or _use(file, version) != "decides":
        return False
    # in f-strings of Python before 3.12 places are not where they are said to be
    return file.text.of(version) == ast.unparse(version)


def _truth(file: File, test: ast.expr) -> bool | None:
    """What a test of the version says; None where it is none, or not understood."""
    try:
        value, asked = _value(file, test)
    except (ValueError, TypeError, IndexError, AttributeError, RecursionError):  # the last: `input = input`
        return None
    return bool(value) if asked else None


def _value(file: File, node: ast.expr) -> tuple[Any, bool]:
    """The value of an expression, and whether the version is in it; raises a ValueError where it is not understood."""
    if isinstance(node, ast.Constant):
        return node.value, False
    if isinstance(node, ast.Attribute | ast.Name) and file.canonical(node) in VERSIONS:
        if not is_answered(file, node):
            raise ValueError
        return TF1, True
    if isinstance(node, ast.Name):
        bindings = file.meanings.bindings(node)
        if len(bindings) != 1 or not isinstance(bindings[0], Assigned):
            raise ValueError
        return _value(file, bindings[0].value)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        value, asked = _value(file, node.operand)
        return not value, asked
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in COMPARE:
        (left, asked), (right, also) = _value(file, node.left), _value(file, node.comparators[0])
        return COMPARE[type(node.ops[0])](left, right), asked or also
    if isinstance(node, ast.Subscript):
        value, asked = _value(file, node.value)
        return value[_index(node.slice)], asked
    if isinstance(node, ast.Call) and not node.keywords and len(node.args) == 1:
        return _called(file, node)
    raise ValueError


def _called(file: File, call: ast.Call) -> tuple[Any, bool]:
    argument, asked = _value(file, call.args[0])
    if isinstance(call.func, ast.Attribute) and call.func.attr in _METHODS:
        value, also = _value(file, call.func.value)
        return getattr(value, call.func.attr)(argument), asked or also
    name = last_name(call.func)
    if name in _VERSION_MAKERS and re.fullmatch(r"\d+(\.\d+)*", argument):
        return tuple(map(int, argument.split("."))), asked
    if file.canonical(call.func) == f"builtins.{name}" and name in _CALLS:
        return _CALLS[name](argument), asked
    raise ValueError


def _index(index: ast.expr) -> Any:
    if not isinstance(index, ast.Slice):
        return ast.literal_eval(index)
    bounds = (index.lower, index.upper, index.step)
    return slice(*(None if bound is None else ast.literal_eval(bound) for bound in bounds))


def version_in(node: ast.Name | ast.Attribute, canonical: str) -> ast.expr | None:
    """The version in a symbol: all of it, or what a method of it is called on."""
    version: ast.expr = node
    name = canonical
    while name not in VERSIONS and isinstance(version, ast.Attribute):
        version, name = version.value, name.rpartition(".")[0]
    return version if name in VERSIONS else None


def _is_tf1s(file: File, version: ast.expr) -> bool:
    """Whether a version is that of `import tensorflow as tf`; `import tensorflow.compat.v1 as tf` knows TF 2."""
    if file.program.plain_is_tf2:
        return False
    home = root_of(version)
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
    """As `_use`, for a version that is used where it stands, and not assigned to a name."""
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
        return "decides" if last_name(around.func) in _VERSION_MAKERS else "tells"
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
    return (other > TF1) == (ours < theirs) and (other < TF1) == (ours > theirs)


def _is_one_number(file: File, version: ast.expr) -> bool:
    """Whether a decimal number is made of a version, as in `float(...)`: 1.15 is below 1.4."""
    return any(
        isinstance(outer, ast.Call) and isinstance(outer.func, ast.Name) and outer.func.id == "float"
        for outer in around(file, version)
    )


def _of_number(file: File, version: ast.expr) -> _Use:
    """The same for the beginning of a version, '1.1' or 1.15, by the one constant that it is compared with."""
    for outer in around(file, version):
        if isinstance(outer, ast.Compare) and len(outer.comparators) == 1:
            sides = (outer.left, outer.comparators[0])
            constants = [str(side.value) for side in sides if isinstance(side, ast.Constant)]
            with contextlib.suppress(ValueError):
                return "mistakes" if len(constants) == 1 and float(constants[0]) < 2 else "decides"
    return "decides"


def around(file: File, node: ast.AST) -> Iterator[ast.expr]:
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

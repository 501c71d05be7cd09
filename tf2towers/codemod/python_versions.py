"""Code that only old Pythons and libraries reach: behind a test of the version, or an error that is expected."""

from __future__ import annotations

import contextlib
import operator
import re
import sys
from collections.abc import Callable, Iterator, Set
from typing import Any

import libcst as cst

from tf2towers.codemod import nodes
from tf2towers.codemod.libraries import gone_part
from tf2towers.codemod.program import File, Program, found_once
from tf2towers.codemod.reached import branches_around
from tf2towers.source.python2.evidence import NAMES, lines_of_python2
from tf2towers.source.python2.reading import convert_script

#: the oldest and the newest Python that TensorFlow 2.15 to 2.21 run on
_PYTHONS = ((3, 9), (3, 13))
_COMPARE: dict[type[cst.BaseCompOp], Callable[[Any, Any], bool]] = {
    cst.Equal: operator.eq, cst.NotEqual: operator.ne, cst.LessThan: operator.lt, cst.LessThanEqual: operator.le,
    cst.GreaterThan: operator.gt, cst.GreaterThanEqual: operator.ge,
}  # fmt: skip
#: names whose counterpart in Python 3 does the same in whichever Python the program was written for
_SAME = {
    "xrange": "range",
    "long": "int",
    "raw_input": "input",
    "unichr": "chr",
    "reduce": "functools.reduce",
}
#: what is the same only as a class that is asked for: `isinstance(x, basestring)`
_SAME_CLASSES = {"basestring": "str", "unicode": "str"}
#: lists in Python 2, which Python 3 makes as they are read
_LAZY = frozenset({"builtins.map", "builtins.filter", "builtins.zip"})
#: steps of a conversion from Python 2 after which the program computes something else
_DIFFERS = re.compile(r"integer|were bytes|as floats|of Python 2$|input\(\)|pickles")
_Version = tuple[int, int]
_Through = Set[cst.CSTNode]
#: errors that a missing name or module raises
_MISSING = frozenset({"ImportError", "ModuleNotFoundError", "AttributeError", "NameError"})


def is_never_reached(file: File, node: cst.CSTNode) -> bool:
    """True if a node is only reached in an old Python, or where a library still has what is gone."""
    for test, is_yes in branches_around(file, node):
        if _truth(file, test) is (not is_yes):
            return True
    for around in file.ancestors(node):
        if isinstance(around, cst.ExceptHandler):
            if _succeeds(file, nodes.block(file.parent(around))):
                return True
    return False


def is_expected_to_fail(file: File, node: cst.CSTNode) -> bool:
    """True if an error that a missing name raises is caught, and nothing else: `except ImportError:`.

    Where there are imports alone in the `try`, any handler is for these.
    """
    around = next(file.tree.tries_around(node), None)
    if around is None:
        return False
    imports = all(isinstance(statement, nodes.Import) for statement in nodes.block(around))
    return imports or any(map(_only_for_missing, around.handlers))


def _only_for_missing(handler: cst.ExceptHandler) -> bool:
    caught = nodes.items(handler.type) if isinstance(handler.type, cst.Tuple) else [handler.type]
    return all(nodes.is_name(error) and error.value in _MISSING for error in caught)


def _succeeds(file: File, body: list[nodes.Statement]) -> bool:
    """True if statements surely raise no error: imports of Python's own modules, and reads of their names."""
    for statement in body:
        if isinstance(statement, nodes.Import) and not nodes.module_of(statement).startswith("."):
            names = [dotted for _, dotted in nodes.imported(statement)]
        elif isinstance(statement, cst.Assign | cst.Expr) and isinstance(statement.value, cst.Attribute):
            names = [file.canonical(statement.value) or ""]
        else:
            return False
        of_python = {name.partition(".")[0] for name in names} <= sys.stdlib_module_names
        if not of_python or any(map(gone_part, names)):
            return False
    return True


def _truth(file: File, test: cst.BaseExpression) -> bool | None:
    """The result of a test, by version or by what exists, in all Pythons that run TF 2.21; None if they differ."""
    answers = {_answer(file, test, version, frozenset()) for version in _PYTHONS}
    return answers.pop() if len(answers) == 1 else None


def _answer(file: File, test: cst.BaseExpression, version: _Version, through: _Through) -> bool | None:
    """The result of a test in one Python; None where it is not known."""
    with contextlib.suppress(ValueError, TypeError, LookupError, SyntaxError):
        return bool(_value(file, test, version, through))
    return None


def _value(file: File, node: cst.BaseExpression, version: _Version, through: _Through) -> Any:
    """The value of a test or a part of one in a Python; raises an error where it is not known.

    `through` are the names that led to it.
    """

    def value(part: cst.BaseExpression) -> Any:
        return _value(file, part, version, through)

    known = {
        "sys.version_info": version, "sys.version_info.major": version[0],
        "sys.version": f"{version[0]}.{version[1]}.0", "six.PY2": False, "six.PY3": True,
    }  # fmt: skip
    if (name := file.canonical(node)) in known:
        return known[name]
    match node:
        case cst.UnaryOperation(operator=cst.Not()):
            return not value(node.expression)
        case cst.BooleanOperation(left=left, operator=sign, right=right):
            answers = {_answer(file, part, version, through) for part in (left, right)}
            decisive = isinstance(sign, cst.Or)
            if decisive in answers or None not in answers:
                return decisive if decisive in answers else not decisive
            raise ValueError
        case cst.Comparison(left=left, comparisons=[cst.ComparisonTarget(sign, right)]) if (
            type(sign) in _COMPARE
        ):
            return _COMPARE[type(sign)](value(left), value(right))
        case cst.Subscript(slice=[cst.SubscriptElement(slice=cst.Slice() as part)]):
            bounds = (part.lower, part.upper, part.step)
            return value(node.value)[slice(*(each and nodes.literal_value(each) for each in bounds))]
        case cst.Subscript(slice=[cst.SubscriptElement(slice=cst.Index() as index)]):
            return value(node.value)[nodes.literal_value(index.value)]
        case cst.Call(args=[cst.Arg(value=of), cst.Arg(value=attribute)]):
            home = file.canonical(of) if file.called(node) == "builtins.hasattr" else None
            if home and gone_part(f"{home}.{nodes.literal(attribute)!s}"):
                return False
        case cst.Name() if node not in through:
            match file.meanings.values(node):  # lists and dictionaries may change
                case [cst.BaseExpression() as held] if not isinstance(held, cst.BaseDict | cst.BaseList):
                    return _value(file, held, version, {*through, node})
    return nodes.literal_value(node)


# -- names that only Python 2 has --------------------------------------------------------------------------------------


def counterpart(file: File, name: cst.Name) -> str | None:
    """What Python 3 calls a missed name, where that is certain: the same whichever Python the program is."""
    if is_an_error(file, name):
        return "Exception"
    found = _SAME.get(name.value)
    if found is None and _is_asked_for(file, name):
        found = _SAME_CLASSES.get(name.value)
    if found is None or found in file.names.bound_names:
        return None
    if file.program.python is None and where_pythons_differ(file.program) is not None:
        return None
    return found


def _is_asked_for(file: File, name: cst.Name) -> bool:
    """True if a name is a class that `isinstance` or `issubclass` asks for, alone or in a tuple."""
    around = file.parent(name)
    asked = around if isinstance(around, cst.Tuple) else name
    call = file.parent(asked)
    is_second = isinstance(call, cst.Call) and asked in nodes.positional(call)[1:2]
    return is_second and file.called(call) in ("builtins.isinstance", "builtins.issubclass")


@found_once
def where_pythons_differ(program: Program) -> str | None:
    """What Python 2 would have computed otherwise than Python 3, and where: `integer division (train.py:12)`."""
    return next(_differences(program), None)


def _differences(program: Program) -> Iterator[str]:
    for file in program.all_files:
        converted = convert_script(file.script, prints_are_calls=True)
        conversion = converted.conversion if converted is not None else None
        for step in conversion.steps if conversion is not None else ():
            if _DIFFERS.search(step.name):
                yield f"{step.name} ({file.path.name}:{step.line})"


def missed_names(file: File) -> Iterator[cst.Name]:
    """The uses of names of Python 2 at which Python 3 stops, in a file that was not converted."""
    found = [name for name in file.all(cst.Name) if name.value in NAMES and file.is_read(name)]
    if not found or file.script.conversion is not None:
        return
    lines = lines_of_python2(file.script, is_main=file.main)
    for name in found:
        missed = (file.text.first_line(name), name.value) in lines and not file.meanings.bindings(name)
        if missed and not _may_have(file, name.value) and not is_never_reached(file, name):
            yield name


def are_lists_in_both(program: Program) -> bool:
    """True if a list that only Python 2 makes is one whichever Python the program is for."""
    return program.python is not None or where_pythons_differ(program) is None


def lists_of_python2(file: File) -> Iterator[cst.Call]:
    """The calls of `map`, `filter` and `zip` whose result is a list for the script: it takes its length or an item.

    Python 3 stops there, so whatever the program was written for, a list is meant.
    """
    if file.script.conversion is not None:
        return
    for call in file.all(cst.Call):
        name = nodes.only_target(file.parent(call))
        if file.called(call) in _LAZY and nodes.is_name(name) and _is_used_as_list(file, name, call):
            yield call


def _is_used_as_list(file: File, name: cst.Name, call: cst.Call) -> bool:
    for used in file.all(cst.Name):
        if used.value != name.value or not file.is_read(used):
            continue
        around = file.parent(used)
        called = isinstance(around, cst.Call) and used in nodes.positional(around)
        measured = called and file.called(around) == "builtins.len"
        indexed = isinstance(around, cst.Subscript) and around.value is used
        if (measured or indexed) and file.meanings.values(used) == [call]:
            return True
    return False


def _may_have(file: File, name: str) -> bool:
    """True if a file may have a name that it does not bind: by a star, or as one that is made Python's own."""
    return any(not module.startswith("tensorflow") for module in file.meanings.star_imports) or any(
        node.attr.value == name and other.is_bound(node)
        for other in file.program.all_files
        for node in other.all(cst.Attribute)
    )


def is_an_error(file: File, name: cst.Name) -> bool:
    """True if it is `StandardError`, which stops a program one way or the other, as `Exception` does."""
    return name.value == "StandardError" and "Exception" not in file.names.bound_names

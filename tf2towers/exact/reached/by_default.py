"""What stands under a test of a flag that its default makes false: `if FLAGS.quantize_delay >= 0:`, with -1.

Few things may stay there: what is added to a training, and which no one misses who does not ask for it. A program whose
flag chooses between two ways to train is migrated for both, or is left.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tf2towers.exact.reached.branches import COMPARE, branches_around
from tf2towers.source.nodes import argument, last_name

if TYPE_CHECKING:
    from tf2towers.exact.file import File

#: what is added to a training
_ADDED = ("tf.contrib.quantize",)

_COMPARE = {**COMPARE, ast.Is: operator.is_, ast.IsNot: operator.is_not}
#: the types of a default that is what the flag has
_TYPES: dict[str, tuple[type, ...]] = {
    "DEFINE_bool": (bool,), "DEFINE_boolean": (bool,), "DEFINE_integer": (int,), "DEFINE_float": (int, float),
    "DEFINE_string": (str,), "DEFINE_enum": (str,),
}  # fmt: skip
_PARSE = ("parse_args", "parse_known_args")
#: calls that give a flag another default by a keyword
_SET = ("set_defaults", "Namespace", "update")


class _NotKnown(Exception):
    """A value that the text does not say."""


def may_be_asked_for(why: str) -> bool:
    """Whether what has no counterpart, for the reason given, is of the few things that are added to a training."""
    return any(name in why for name in _ADDED)


def asked_for_by(file: File, node: ast.AST) -> str | None:
    """The test of a flag without which a place is not reached, where the default makes it so; None without one."""
    for test, is_yes in branches_around(file, node):
        asked: set[str] = set()
        try:
            truth = bool(_value(file, test, asked))
        except (_NotKnown, TypeError):
            continue
        if asked and truth != is_yes:
            return ast.unparse(test)
    return None


def _value(file: File, node: ast.expr, asked: set[str]) -> Any:
    """The value of a test by default; adds the flags that it asks for, and raises _NotKnown where it is not known."""
    match node:
        case ast.Constant():
            return node.value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
            return -number
        case ast.UnaryOp(op=ast.Not()):
            return not _value(file, node.operand, asked)
        case ast.BoolOp():
            return _of_some(file, node, asked)
        case ast.Compare(ops=[op], comparators=[other]) if type(op) in _COMPARE:
            return _COMPARE[type(op)](_value(file, node.left, asked), _value(file, other, asked))
        case ast.Attribute():
            value = _default(file, node)
            asked.add(node.attr)
            return value
    raise _NotKnown


def _of_some(file: File, node: ast.BoolOp, asked: set[str]) -> bool:
    """An `and` is false where one of its parts is, whatever the others are; an `or` is true."""
    decisive = isinstance(node.op, ast.Or)
    unknown = False
    for part in node.values:
        flags: set[str] = set()
        try:
            if bool(_value(file, part, flags)) == decisive:
                asked |= flags
                return decisive
            asked |= flags
        except (_NotKnown, TypeError):
            unknown = True
    if unknown:
        raise _NotKnown
    return not decisive


def _default(file: File, flag: ast.Attribute) -> Any:
    """The default of `FLAGS.name` or `args.name`, if nothing in the program gives it another value."""
    files = file.program.all_files
    defined = [found for each in files for found in _definitions(each, flag.attr)]
    if not defined or not _is_of_flags(file, flag.value, {call for call, _ in defined}):
        raise _NotKnown
    calls = {id(call) for call, _ in defined}
    if any(_may_set(each, node, flag.attr, calls) for each in files for node in each.meanings.nodes):
        raise _NotKnown
    values = [value for _, value in defined]
    if any(value != values[0] or type(value) is not type(values[0]) for value in values):
        raise _NotKnown
    return values[0]


def _definitions(file: File, name: str) -> Iterator[tuple[ast.Call, Any]]:
    """The calls that define a flag, with its default."""
    for call in file.all(ast.Call):
        function = last_name(call.func)
        options = [
            each.value for each in call.args if isinstance(each, ast.Constant) and isinstance(each.value, str)
        ]
        if function == "add_argument":
            long = [option for option in options if option.startswith("--")]
            if long and long[0].lstrip("-").replace("-", "_") == name:
                yield call, _argparse_default(call)
        elif function in _TYPES and options[:1] == [name]:
            value = _literal(_given(call, 1, "default", "default_value"))
            if value is not None and type(value) not in _TYPES[function]:
                raise _NotKnown
            yield call, value


def _argparse_default(call: ast.Call) -> Any:
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    action = _literal(given["action"]) if "action" in given else "store"
    if action not in ("store", "store_true", "store_false") or {"dest", None} & set(given):
        raise _NotKnown
    if "required" in given or "nargs" in given:
        raise _NotKnown
    if "default" not in given:
        return {"store_true": False, "store_false": True}.get(str(action))
    value = _literal(given["default"])
    if isinstance(value, str) and "type" in given and ast.unparse(given["type"]) != "str":
        raise _NotKnown  # argparse makes something else of it
    return value


def _given(call: ast.Call, place: int, *keywords: str) -> ast.expr:
    found = argument(call, place, *keywords)
    if found is None:
        raise _NotKnown
    return found


def _literal(node: ast.expr) -> Any:
    try:
        return ast.literal_eval(node)
    except ValueError:
        raise _NotKnown from None


def _is_of_flags(file: File, value: ast.expr, calls: set[ast.Call]) -> bool:
    """Whether something is what the flags are in: `FLAGS` of TensorFlow or absl, or what `parse_args()` gives."""
    if any(last_name(call.func) != "add_argument" for call in calls):
        canonical = file.canonical(value) if isinstance(value, ast.Name | ast.Attribute) else None
        return (canonical or "").endswith("flags.FLAGS") or last_name(value) == "FLAGS"
    return last_name(value) in set(_parsed(file))


def _parsed(file: File) -> Iterator[str]:
    """The names that the program gives what `parse_args()` returns, also by a function of its own."""
    files = file.program.all_files
    makers = set(_PARSE)
    for each in files:
        for made in each.all(ast.Return):
            around = each.function_around(made)
            if (
                isinstance(made.value, ast.Call)
                and last_name(made.value.func) in _PARSE
                and around is not None
            ):
                makers.add(around.name)
    for each in files:
        for node in each.all(ast.Assign):
            if isinstance(node.value, ast.Call) and last_name(node.value.func) in makers:
                for target in node.targets:
                    first = target.elts[0] if isinstance(target, ast.Tuple) and target.elts else target
                    yield last_name(first)


def _may_set(file: File, node: ast.AST, name: str, definitions: set[int]) -> bool:
    """Whether a node may give a flag another value: `FLAGS.name = 1`, `setattr(args, 'name', 1)`, `['--name']`."""
    if isinstance(node, ast.Attribute):
        return node.attr == name and not isinstance(node.ctx, ast.Load)
    if isinstance(node, ast.keyword):
        call = file.parent(node)
        return node.arg == name and isinstance(call, ast.Call) and last_name(call.func) in _SET
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        if node.value != name and not re.search(rf"__{name}(?!\w)", node.value.replace("-", "_")):
            return False
        parent = file.parent(node)
        if isinstance(parent, ast.keyword):
            parent = file.parent(parent)
        return not isinstance(parent, ast.Expr) and id(parent) not in definitions
    return False

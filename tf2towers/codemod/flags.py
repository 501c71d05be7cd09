"""The flags of a program, and code that a run reaches only where a flag has another value than by default."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import libcst as cst

from tf2towers.codemod import nodes
from tf2towers.codemod.program import File, found_once

_FLAGS = frozenset({"tf.app.flags.FLAGS", "absl.flags.FLAGS"})
_PARSE = frozenset({"parse_args", "parse_known_args"})
#: `action` of an option of argparse -> its default
_ACTIONS = {"store_true": False, "store_false": True}
#: functions that define a flag -> the types of a default that they take as it is
_DEFINE: dict[str, tuple[type, ...]] = {
    "DEFINE_bool": (bool,),
    "DEFINE_boolean": (bool,),
    "DEFINE_integer": (int,),
    "DEFINE_float": (int, float),
    "DEFINE_string": (str,),
    "DEFINE_enum": (str,),
}
_COMPARED: dict[type[cst.BaseCompOp], Callable[[Any, Any], bool]] = {
    cst.Equal: operator.eq,
    cst.NotEqual: operator.ne,
    cst.LessThan: operator.lt,
    cst.LessThanEqual: operator.le,
    cst.GreaterThan: operator.gt,
    cst.GreaterThanEqual: operator.ge,
    cst.Is: operator.is_,
    cst.IsNot: operator.is_not,
    cst.In: lambda value, values: value in values,
    cst.NotIn: lambda value, values: value not in values,
}


def is_off(file: File, test: cst.BaseExpression, wanted: bool) -> str | None:
    """The flag by whose default a test does not say what is wanted; None if it may, or if no flag decides."""
    said = _by_defaults(file, test)
    return said[1] if said is not None and bool(said[0]) != wanted else None


def _by_defaults(file: File, test: cst.BaseExpression) -> tuple[Any, str] | None:
    """What a test says where all flags have their defaults, and a flag that decides it; None if others decide."""
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        said = _by_defaults(file, test.expression)
        return None if said is None else (not said[0], said[1])
    if isinstance(test, cst.BooleanOperation):
        sides = [_by_defaults(file, side) for side in (test.left, test.right)]
        decides = isinstance(test.operator, cst.Or)
        for said in sides:
            if said is not None and bool(said[0]) == decides:
                return decides, said[1]
        return None if None in sides else (not decides, sides[0][1])  # type: ignore[index]
    if isinstance(test, cst.Comparison):
        return _compared(file, test)
    name = _flag(file, test)
    defaults = defaults_of_flags(file.program.main)
    return None if name not in defaults else (defaults[name], name)


def _compared(file: File, test: cst.Comparison) -> tuple[bool, str] | None:
    """What a comparison of a flag with a constant says, as `_by_defaults`."""
    said = _by_defaults(file, test.left)
    if said is None or len(test.comparisons) != 1 or not isinstance(test.left, cst.Attribute):
        return None
    (target,) = test.comparisons
    compare = _COMPARED.get(type(target.operator))
    try:
        return (
            None if compare is None else (compare(said[0], nodes.literal_value(target.comparator)), said[1])
        )
    except (ValueError, SyntaxError, TypeError):
        return None


def _flag(file: File, node: cst.BaseExpression) -> str:
    """The name of the flag that an expression is the value of: `FLAGS.quantize`, `args.quantize`; else empty."""
    if not isinstance(node, cst.Attribute):
        return ""
    is_parsed = nodes.is_name(node.value) and node.value.value in _parsed_names(file)
    canonical = file.canonical(node.value)
    return node.attr.value if is_parsed or canonical in _FLAGS else ""


@found_once
def _parsed_names(file: File) -> frozenset[str]:
    """The names that a file binds to the options of argparse, and to nothing else."""
    parsed: Counter[str] = Counter()
    for node in file.all(cst.Assign):
        if isinstance(node.value, cst.Call) and nodes.last_name(node.value.func) in _PARSE:
            target = node.targets[0].target
            first = target.elements[0].value if isinstance(target, cst.Tuple) else target
            parsed[nodes.last_name(first)] += 1
    stored: Counter[str] = Counter(name.value for name in file.all(cst.Name) if file.is_bound(name))
    return frozenset(name for name, count in parsed.items() if count == stored[name])


@found_once
def defaults_of_flags(main: File) -> dict[str, Any]:
    """Flag -> its default, of the flags that a program defines once, with a constant, and changes nowhere.

    A flag whose name is in another text, too, may be changed by it: `FLAGS['quantize']`, `parse_args(['--quantize'])`.
    """
    found: dict[str, list[Any]] = {}
    changed: set[str] = set()
    texts: Counter[str] = Counter()
    for file in main.program.all_files:
        for name, default in _definitions(file):
            found.setdefault(name, []).append(default)
        values = (nodes.literal(text) for text in file.tree.literals)
        texts.update(value.partition("=")[0] for value in values if isinstance(value, str))
        changed.update(node.attr.value for node in file.all(cst.Attribute) if file.is_bound(node))
        for call in file.all(cst.Call):
            if nodes.last_name(call.func) == "set_defaults":
                changed.update(map(nodes.keyword_of, call.args))
    return {
        name: defaults[0]
        for name, defaults in found.items()
        if len(defaults) == 1 and defaults[0] is not nodes.NOT_LITERAL and name not in changed
        if sum(texts[spelled] for spelled in {name, f"--{name}", f"--{name.replace('_', '-')}"}) == 1
    }


def _definitions(file: File) -> Iterator[tuple[str, Any]]:
    """The flags that a file defines, and their defaults: NOT_LITERAL for what is no constant, or may be converted."""
    for call in file.all(cst.Call):
        function = nodes.last_name(call.func)
        texts = [value for given in nodes.positional(call) if isinstance(value := nodes.literal(given), str)]
        if function in _DEFINE and texts:
            default = _constant(nodes.argument(call, 1, "default", "default_value"))
            fits = default is None or type(default) in _DEFINE[function]
            yield texts[0], default if fits else nodes.NOT_LITERAL
        elif function.startswith("DEFINE_") and texts:
            yield texts[0], nodes.NOT_LITERAL
        elif function == "add_argument":
            for name in (text.lstrip("-").replace("-", "_") for text in texts):
                yield name, _default_of_option(call)


def _default_of_option(call: cst.Call) -> Any:
    given = {nodes.keyword_of(each): each.value for each in call.args if each.keyword is not None}
    default, action = _constant(given.get("default")), nodes.literal(given.get("action"))
    if given.keys() & {"dest", "nargs"} or (isinstance(default, str) and "type" in given):
        return nodes.NOT_LITERAL
    if "default" in given:
        return default
    return _ACTIONS.get(action, nodes.NOT_LITERAL) if "action" in given else None


def _constant(node: cst.CSTNode | None) -> Any:
    """The value of a constant, `-1` among them; else NOT_LITERAL."""
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Minus):
        value = nodes.literal(node.expression)
        return -value if type(value) in (int, float) else nodes.NOT_LITERAL
    return nodes.literal(node)

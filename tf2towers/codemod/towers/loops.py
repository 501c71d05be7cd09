"""Loops that build one tower a round: their body enters `tf.device` with a GPU that depends on the loop's target."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import takewhile

import libcst as cst

from tf2towers.codemod import nodes
from tf2towers.codemod.certainty import RANGES, ZIPS, is_certain
from tf2towers.codemod.program import File, found_once
from tf2towers.codemod.towers.device import Device, Reader, names_gpu, texts_in


@dataclass(frozen=True)
class Loop:
    """A tower loop: the loop or comprehension itself, its parts, and the GPU of a round."""

    node: cst.For | nodes.Comprehension
    target: cst.BaseExpression
    iterable: cst.BaseExpression
    device: Device


@found_once
def find_tower_loops(file: File) -> list[Loop]:
    """Every tower loop of a file, in the order of the text."""
    if "device" not in file.script.text:
        return []
    found: dict[cst.CSTNode, Loop] = {}
    for call, device in find_device_calls(file):
        loop = _loop_around(file, call, device)
        if loop is not None:
            known = found.get(loop.node)
            if known is None or known.device == Device():
                found[loop.node] = loop
    return sorted(found.values(), key=lambda loop: file.text.start(loop.node))


@found_once
def find_device_calls(file: File) -> list[tuple[cst.Call, cst.BaseExpression]]:
    """The calls of `tf.device` and the device of each; and what else a `with` enters that is given a GPU's name.

    Such are `graph.device('/gpu:%d' % i)`, and a function of the script's own.
    """
    found = []
    for call in file.all(cst.Call):
        if file.called(call) == "tf.device":
            if len(call.args) == 1 and not nodes.keywords(call):
                found.append((call, call.args[0].value))
        elif isinstance(file.parent(call), cst.WithItem):
            named = [given.value for given in call.args if any(map(names_gpu, texts_in(given.value)))]
            if len(named) == 1:
                found.append((call, named[0]))
    return found


def _loop_around(file: File, call: cst.Call, given: cst.BaseExpression) -> Loop | None:
    """The innermost loop around `tf.device(...)` whose target the device depends on."""
    for node in file.ancestors(call):
        if isinstance(node, cst.FunctionDef | cst.Lambda | cst.ClassDef):
            return None
        if isinstance(node, cst.For):
            target, iterable, inside = node.target, node.iter, nodes.block(node)
        elif (
            isinstance(node, nodes.Comprehension) and len(nodes.generators(node)) == 1 and not node.for_in.ifs
        ):
            target, iterable, inside = node.for_in.target, node.for_in.iter, []
        else:
            continue
        device = Reader(file, nodes.names_in(target), inside).device(given)
        if device is not None:
            return Loop(node, target, iterable, device)
    return None


def statement_of(file: File, loop: Loop) -> nodes.Statement:
    """The statement that a loop is, or that a comprehension is in."""
    return loop.node if isinstance(loop.node, cst.For) else file.statement(loop.node)


@dataclass(frozen=True)
class StrategyArguments:
    """The arguments of a strategy.

    Attributes:
        template: the arguments, in which `{name}` stands for a part; empty if the strategy takes the towers that the
            graph names.
        parts: the expressions in the template, by their names in it.
        targets: the names in the parts that the template itself binds.
        counted: whether the strategy certainly has as many towers as the loop has rounds.
    """

    template: str = ""
    parts: Mapping[str, cst.BaseExpression] = field(default_factory=dict)
    targets: frozenset[str] = frozenset()
    counted: bool = False


def strategy_argument(file: File, loop: Loop) -> StrategyArguments | None:
    """The arguments of a strategy for a loop's towers, evaluated where the loop begins; None if not certain."""
    iterable = loop.iterable
    if not is_certain(file, iterable) or _may_leave_out(file, loop.node):
        return None
    index, expression = loop.device.index, loop.device.expression
    count = count_of(file, iterable)
    if count is not None and nodes.is_name(loop.target) and index == loop.target.value:
        return StrategyArguments("{towers}", {"towers": count}, counted=True)
    wanted = expression.value if nodes.is_name(expression) else index
    found = _values(file, loop.target, iterable, wanted) if wanted is not None else None
    if found is not None and (wanted == index or nodes.is_name(expression)):
        values, counted = found
        return StrategyArguments("{devices}", {"devices": values}, counted=counted)
    if expression is None and index is None:
        return None
    if (every := _every_item(file, expression, loop.target, iterable)) is not None:
        return StrategyArguments("{devices}", {"devices": every}, counted=True)
    if (formatted := _every_name(file, expression, loop.target, iterable)) is not None:
        return formatted
    each = "{device}" if expression is not None else index
    template = f"[{each} for {file.text.of(loop.target)} in {{towers}}]"
    parts = {"towers": iterable} if expression is None else {"towers": iterable, "device": expression}
    return StrategyArguments(template, parts, frozenset(nodes.names_in(loop.target)), counted=True)


def _every_item(
    file: File,
    expression: cst.BaseExpression | None,
    target: cst.BaseExpression,
    iterable: cst.BaseExpression,
) -> cst.BaseExpression | None:
    """The list `gpus`, where the rounds of `for i in range(len(gpus))` name `gpus[i]`."""
    match expression, count_of(file, iterable):
        case (
            cst.Subscript(value=given) as item,
            cst.Call(args=[cst.Arg(keyword=None, star="", value=counted)]) as count,
        ):
            is_length = file.called(count) == "builtins.len"
            same = file.text.of(given) == file.text.of(counted)
            if is_length and same and nodes.is_same_name(nodes.index_of(item), target):
                return given if is_certain(file, given) else None
    return None


def _every_name(
    file: File,
    expression: cst.BaseExpression | None,
    target: cst.BaseExpression,
    iterable: cst.BaseExpression,
) -> StrategyArguments | None:
    """`['/gpu:%s' % gpu for gpu in gpus]`, where the rounds of `range(len(gpus))` name `'/gpu:%s' % gpus[i]`."""
    match expression:
        case cst.BinaryOperation(left=text, operator=cst.Modulo(), right=item):
            template = "[{text} % gpu for gpu in {gpus}]"
        case cst.Call(
            func=cst.Attribute(value=text, attr=cst.Name(value="format")), args=[cst.Arg(value=item)]
        ):
            template = "[{text}.format(gpu) for gpu in {gpus}]"
        case _:
            return None
    gpus = _every_item(file, item, target, iterable) if nodes.is_text(text) else None
    if gpus is None:
        return None
    return StrategyArguments(template, {"text": text, "gpus": gpus}, frozenset({"gpu"}), counted=True)


def _may_leave_out(file: File, loop: cst.CSTNode) -> bool:
    """True if some rounds of a loop may build no tower: `if i == count: break`, or `continue` outside of any `with`."""
    for node in nodes.walk(*nodes.block(loop), but=(*nodes.OWN_NAMES, cst.For, cst.While)):
        around = takewhile(lambda outer: outer is not loop, file.ancestors(node))
        if isinstance(node, cst.Break | cst.Return):
            return True
        if isinstance(node, cst.Continue) and not any(isinstance(outer, cst.With) for outer in around):
            return True
    return False


def count_of(file: File, node: cst.BaseExpression) -> cst.BaseExpression | None:
    """The number of rounds of a `range` from 0, as an expression; None for anything else."""
    match node:
        case cst.Call(args=[*given]) if file.called(node) in RANGES and all(map(nodes.is_plain, given)):
            if len(given) == 1:
                return given[0].value
            return given[1].value if len(given) == 2 and nodes.literal(given[0].value) == 0 else None
    return None


def _values(
    file: File, target: cst.BaseExpression, iterable: cst.BaseExpression, wanted: str
) -> tuple[cst.BaseExpression, bool] | None:
    """What the loop variable `wanted` goes over, also in `zip` and `enumerate`; whether it has an item a round."""
    if nodes.is_name(target):
        return (iterable, True) if target.value == wanted else None
    if not isinstance(target, cst.Tuple) or not isinstance(iterable, cst.Call) or nodes.has_star(target):
        return None
    parts, given, name = nodes.items(target), nodes.positional(iterable), file.called(iterable)
    if nodes.has_star(iterable) or nodes.keywords(iterable):
        return None
    if name == "builtins.enumerate" and len(parts) == 2 and len(given) == 1:
        return _values(file, parts[1], given[0], wanted)
    if name in ZIPS and len(parts) == len(given):
        for part, each in zip(parts, given, strict=True):
            found = _values(file, part, each, wanted)
            if found is not None:
                return found[0], len(given) == 1
    return None

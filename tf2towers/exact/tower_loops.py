"""Loops that build one tower a round: their body enters `tf.device` with a GPU that depends on the loop's target."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from tf2towers.exact.certainty import RANGES, is_certain
from tf2towers.exact.file import File
from tf2towers.exact.tower_device import Device, Reader
from tf2towers.names.meanings import Comprehension


@dataclass(frozen=True)
class Loop:
    """A tower loop: the statement it stands in, what it goes over, and the GPU of a round."""

    statement: ast.stmt
    target: ast.expr
    iterable: ast.expr
    device: Device


def tower_loops(file: File) -> list[Loop]:
    """Every tower loop of a file that goes over no strategy yet, in the order of the text."""
    if "device" not in file.script.text:
        return []
    found: dict[ast.AST, Loop] = {}
    for call in file.all(ast.Call):
        if file.canonical(call.func) != "tf.device" or len(call.args) != 1 or call.keywords:
            continue
        loop = _loop_around(file, call)
        if loop is not None and not _is_written(file, loop):
            known = found.get(loop.iterable)
            if known is None or known.device == Device():
                found[loop.iterable] = loop
    return sorted(found.values(), key=lambda loop: (loop.iterable.lineno, loop.iterable.col_offset))


def _loop_around(file: File, call: ast.Call) -> Loop | None:
    """The innermost loop around `tf.device(...)` whose target the device depends on."""
    for node in file.ancestors(call):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            return None
        if isinstance(node, ast.For):
            target, iterable, inside = node.target, node.iter, node.body
        elif isinstance(node, Comprehension) and len(node.generators) == 1 and not node.generators[0].ifs:
            target, iterable, inside = node.generators[0].target, node.generators[0].iter, []
        else:
            continue
        targets = {part.id for part in ast.walk(target) if isinstance(part, ast.Name)}
        device = Reader(file, targets, inside).device(call.args[0])
        if device is not None:
            return Loop(file.statement(node), target, iterable, device)
    return None


def _is_written(file: File, loop: Loop) -> bool:
    iterable = loop.iterable
    return isinstance(iterable, ast.Call) and file.canonical(iterable.func) == "tf2towers.runtime.towers"


def devices_of(file: File, loop: Loop) -> str | None:
    """What `tower_devices` is given before the loop, to be the devices of its rounds; None where it is not certain."""
    iterable = loop.iterable
    if not is_certain(file, iterable) or not stands_alone(file, loop):
        return None
    index, expression = loop.device.index, loop.device.expression
    if isinstance(iterable, ast.Call) and file.canonical(iterable.func) in RANGES:
        count = _count(iterable)
        if isinstance(loop.target, ast.Name) and index == loop.target.id and count is not None:
            return file.text.of(count)
    items = _items(file, loop)
    if items is not None:
        item, values = items
        if (index == item and loop.device.number) or (
            isinstance(expression, ast.Name) and expression.id == item
        ):
            return _as_argument(file, values)
    if expression is None and not loop.device.number:
        return None
    each = file.text.of(expression) if expression is not None else index
    return f"[{each} for {file.text.of(loop.target)} in {_as_argument(file, iterable)}]"


def _as_argument(file: File, node: ast.expr) -> str:
    text = file.text.of(node)
    return f"({text})" if isinstance(node, ast.Tuple) and not text.startswith("(") else text


def _count(call: ast.Call) -> ast.expr | None:
    if call.keywords:
        return None
    if len(call.args) == 1:
        return call.args[0]
    first = call.args[0] if len(call.args) == 2 else None
    return call.args[1] if isinstance(first, ast.Constant) and first.value == 0 else None


def _items(file: File, loop: Loop) -> tuple[str, ast.expr] | None:
    """The name of the item of a list, and the list, in `for item in items` and `for i, item in enumerate(items)`."""
    if isinstance(loop.target, ast.Name):
        return loop.target.id, loop.iterable
    call = loop.iterable
    if (
        isinstance(call, ast.Call)
        and file.canonical(call.func) == "builtins.enumerate"
        and len(call.args) == 1
    ):
        if isinstance(loop.target, ast.Tuple) and len(loop.target.elts) == 2:
            second = loop.target.elts[1]
            if isinstance(second, ast.Name):
                return second.id, call.args[0]
    return None


def stands_alone(file: File, loop: Loop) -> bool:
    """Whether a statement can be written before the loop's own, and the iterable means the same there."""
    text = file.text
    start = text.start(loop.statement)
    if text.text[text.line_start(loop.statement.lineno) : start].strip():
        return False
    if isinstance(loop.statement, ast.For):
        return True
    inner = [node for node in file.ancestors(loop.iterable) if isinstance(node, Comprehension | ast.Lambda)]
    if len(inner) != 1 or isinstance(inner[0], ast.Lambda):
        return False
    return isinstance(
        loop.statement, ast.Assign | ast.AnnAssign | ast.Expr | ast.Return | ast.AugAssign
    ) and not any(
        isinstance(node, ast.IfExp | ast.BoolOp | ast.NamedExpr)
        for node in _between(file, inner[0], loop.statement)
    )


def _between(file: File, node: ast.AST, end: ast.AST) -> Iterator[ast.AST]:
    for around in file.ancestors(node):
        if around is end:
            return
        yield around

"""Loops that build one tower a round: their body enters `tf.device` with a GPU that depends on the loop's target."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from tf2towers.exact.file import File
from tf2towers.names.meanings import Assigned, Comprehension

#: Functions that have no effect and give the same again.
_PURE = frozenset(
    {
        "builtins.range", "builtins.xrange", "builtins.enumerate", "builtins.zip", "builtins.len", "builtins.list",
        "builtins.tuple", "builtins.sorted", "builtins.int", "builtins.min", "builtins.max", "builtins.str",
        "six.moves.range", "six.moves.xrange", "six.moves.zip",
    }
)  # fmt: skip
_RANGES = frozenset({"builtins.range", "builtins.xrange", "six.moves.range", "six.moves.xrange"})


@dataclass(frozen=True)
class Loop:
    """A tower loop: `statement` is where it stands, `devices` the expressions of the GPU in its body."""

    statement: ast.stmt
    target: ast.expr
    iterable: ast.expr
    device: ast.expr


def tower_loops(file: File) -> list[Loop]:
    """Every tower loop of a file that goes over no strategy yet, in the order of the text."""
    if "device" not in file.script.text:
        return []
    found: dict[ast.AST, Loop] = {}
    for call in file.all(ast.Call):
        if file.canonical(call.func) != "tf.device" or len(call.args) != 1 or call.keywords:
            continue
        loop = _loop_around(file, call)
        if loop is not None and loop.iterable not in found:
            found[loop.iterable] = loop
    outer = [loop for loop in found.values() if not _is_written(file, loop)]
    return sorted(outer, key=lambda loop: (loop.iterable.lineno, loop.iterable.col_offset))


def _loop_around(file: File, call: ast.Call) -> Loop | None:
    """The innermost loop around `tf.device(...)` whose target the device depends on."""
    needed = _names(call.args[0])
    for node in file.ancestors(call):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            return None
        if isinstance(node, ast.For):
            target, iterable, inside = node.target, node.iter, node.body
        elif isinstance(node, Comprehension) and len(node.generators) == 1 and not node.generators[0].ifs:
            target, iterable, inside = node.generators[0].target, node.generators[0].iter, []
        else:
            continue
        device = _device(call.args[0], _names(target), _assigned_in(inside))
        if device is not None:
            return Loop(file.statement(node), target, iterable, device)
        needed |= _names(target)
    return None


def _device(device: ast.expr, targets: set[str], local: dict[str, list[ast.expr]]) -> ast.expr | None:
    """The expression of the GPU's name in what is given to `tf.device`, where it depends on the loop's target.

    Values that the body gives to names are followed; a helper that is called with the name of the GPU is looked into.
    """
    pending, seen = [device], set[str]()
    opaque: ast.expr | None = None
    while pending:
        one = pending.pop(0)
        strings = [node.value.lower() for node in ast.walk(one) if _is_string(node)]
        if any("gpu" in string and "job:" not in string for string in strings):
            parts = [part for part in _arguments(one) if part is not one]
            gpu = [p for p in parts if _names(p) and any("gpu" in s for s in _strings(p))]
            if gpu and not _is_format(one):
                pending = gpu + pending
                continue
            if _names(one) & targets:
                return one
        elif strings and any("cpu" in string or "job:" in string for string in strings):
            continue
        elif _names(one) & targets:
            opaque = opaque or one
        for name in sorted(_names(one) - seen):
            seen.add(name)
            if len(local.get(name, [])) == 1:
                pending.append(local[name][0])
    return opaque


def _arguments(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.Call):
        return [*node.args, *(keyword.value for keyword in node.keywords)]
    return [node]


def _is_format(node: ast.expr) -> bool:
    """Whether an expression is a string with values in it: `'/gpu:%d' % i`, `'/gpu:{}'.format(i)`, `'/gpu:' + str(i)`."""
    if isinstance(node, ast.JoinedStr):
        return True
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.Mod | ast.Add)
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and _is_string(node.func.value)


def _is_string(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _strings(node: ast.AST) -> list[str]:
    return [str(one.value).lower() for one in ast.walk(node) if isinstance(one, ast.Constant) and _is_string(one)]


def _names(node: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


def _assigned_in(body: list[ast.stmt]) -> dict[str, list[ast.expr]]:
    """What the statements of a loop's body assign to plain names."""
    found: dict[str, list[ast.expr]] = {}
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    if isinstance(target, ast.Name):
                        found.setdefault(target.id, []).append(node.value)
    return found


def _is_written(file: File, loop: Loop) -> bool:
    iterable = loop.iterable
    return isinstance(iterable, ast.Call) and file.canonical(iterable.func) == "tf2towers.runtime.towers"


def devices_of(file: File, loop: Loop) -> str | None:
    """What to give to `tower_devices`: evaluated before the loop, it is the devices of the rounds; None if uncertain."""
    iterable = loop.iterable
    if not _is_certain(file, iterable) or not _stands_alone(file, loop):
        return None
    index = _gpu_index(loop.device)
    if isinstance(iterable, ast.Call) and file.canonical(iterable.func) in _RANGES:
        count = _count(iterable)
        if isinstance(loop.target, ast.Name) and index == loop.target.id and count is not None:
            return file.text.of(count)
    items = _items(file, loop)
    if items is not None:
        item, values = items
        if index == item or (isinstance(loop.device, ast.Name) and loop.device.id == item):
            return _as_argument(file, values)
    if not (_is_format(loop.device) and _is_plain(loop.device, _names(loop.target), file)):
        return None
    return f"[{file.text.of(loop.device)} for {file.text.of(loop.target)} in {_as_argument(file, iterable)}]"


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
    if isinstance(call, ast.Call) and file.canonical(call.func) == "builtins.enumerate" and len(call.args) == 1:
        if isinstance(loop.target, ast.Tuple) and len(loop.target.elts) == 2:
            second = loop.target.elts[1]
            if isinstance(second, ast.Name):
                return second.id, call.args[0]
    return None


def _gpu_index(device: ast.expr) -> str | None:
    """The name that says which GPU, in '/gpu:%d' % name and its like; None for any other expression."""
    prefixes = ("/gpu:", "/device:gpu:", "gpu:", "device:gpu:")
    if isinstance(device, ast.BinOp) and isinstance(device.left, ast.Constant):
        text, value = str(device.left.value).lower(), device.right
        if isinstance(value, ast.Tuple) and len(value.elts) == 1:
            value = value.elts[0]
        if isinstance(device.op, ast.Mod) and text in [p + mark for p in prefixes for mark in ("%d", "%s", "%i")]:
            return value.id if isinstance(value, ast.Name) else None
        if isinstance(device.op, ast.Add) and text in prefixes and isinstance(value, ast.Call):
            return _only_name(value) if isinstance(value.func, ast.Name) and value.func.id == "str" else None
    if isinstance(device, ast.Call) and isinstance(device.func, ast.Attribute) and device.func.attr == "format":
        if isinstance(device.func.value, ast.Constant):
            text = str(device.func.value.value).lower()
            if text in [p + mark for p in prefixes for mark in ("{}", "{:d}", "{0}", "{0:d}")]:
                return _only_name(device)
    if isinstance(device, ast.JoinedStr) and len(device.values) == 2:
        text, value = device.values
        if isinstance(text, ast.Constant) and str(text.value).lower() in prefixes:
            if isinstance(value, ast.FormattedValue) and value.format_spec is None:
                return value.value.id if isinstance(value.value, ast.Name) else None
    return None


def _only_name(call: ast.Call) -> str | None:
    if len(call.args) == 1 and not call.keywords and isinstance(call.args[0], ast.Name):
        return call.args[0].id
    return None


def _stands_alone(file: File, loop: Loop) -> bool:
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
    return isinstance(loop.statement, ast.Assign | ast.AnnAssign | ast.Expr | ast.Return | ast.AugAssign) and not any(
        isinstance(node, ast.IfExp | ast.BoolOp | ast.NamedExpr)
        for node in _between(file, inner[0], loop.statement)
    )


def _between(file: File, node: ast.AST, end: ast.AST) -> Iterator[ast.AST]:
    for one in file.ancestors(node):
        if one is end:
            return
        yield one


def _is_certain(file: File, node: ast.expr, *, counted: bool = False) -> bool:
    """Whether evaluating an expression once more has no effect and gives the same items."""
    if isinstance(node, ast.Constant):
        return True
    if isinstance(node, ast.List | ast.Tuple):
        return all(_is_certain(file, one, counted=True) for one in node.elts)
    if isinstance(node, ast.BinOp):
        return _is_certain(file, node.left, counted=counted) and _is_certain(file, node.right, counted=counted)
    if isinstance(node, ast.Subscript):
        return _is_certain(file, node.value, counted=True) and _is_certain(file, node.slice, counted=True)
    if isinstance(node, ast.Slice):
        parts = [one for one in (node.lower, node.upper, node.step) if one is not None]
        return all(_is_certain(file, one, counted=True) for one in parts)
    if isinstance(node, ast.Call):
        name = file.canonical(node.func)
        if name not in _PURE or node.keywords or any(isinstance(one, ast.Starred) for one in node.args):
            return False
        taken = name in _RANGES or name in ("builtins.len", "builtins.int", "builtins.str")
        return all(_is_certain(file, one, counted=taken) for one in node.args)
    if isinstance(node, ast.Attribute):
        return counted and _is_certain(file, node.value, counted=True)
    if isinstance(node, ast.Name):
        return counted or _is_list(file, node)
    return False


def _is_list(file: File, node: ast.Name) -> bool:
    """Whether a name certainly holds a list, and not something that can be gone through only once."""
    bindings = file.meanings.bindings(node)
    return bool(bindings) and all(
        isinstance(one, Assigned) and _makes_list(file, one.value) for one in bindings
    )


def _makes_list(file: File, value: ast.expr) -> bool:
    if isinstance(value, ast.IfExp):
        return _makes_list(file, value.body) and _makes_list(file, value.orelse)
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mult | ast.Add):
        return _makes_list(file, value.left)
    if isinstance(value, ast.Call):
        name = file.canonical(value.func)
        if name in _RANGES or name in ("builtins.list", "builtins.sorted", "builtins.tuple"):
            return True
        return isinstance(value.func, ast.Attribute) and value.func.attr == "split"
    return isinstance(value, ast.List | ast.Tuple | ast.ListComp)


def _is_plain(device: ast.expr, targets: set[str], file: File) -> bool:
    """Whether the GPU's name can be written before the loop: it is made of the targets, strings and numbers alone."""
    for node in ast.walk(device):
        if isinstance(node, ast.Name) and node.id not in targets and file.canonical(node) != "builtins.str":
            return False
        if isinstance(node, ast.Call):
            formats = isinstance(node.func, ast.Attribute) and _is_string(node.func.value)
            if not formats and file.canonical(node.func) != "builtins.str":
                return False
    return True

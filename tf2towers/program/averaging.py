"""Is a function the tutorial's `average_gradients`, and nothing more?

Only a plain mean over the towers becomes an all-reduce. A function that sums, clips or treats sparse gradients in its
own way is kept and given every tower's gradients, as before.
"""

from __future__ import annotations

import ast

from tf2towers.program.functions import Functions, LocalModule

_MEAN = frozenset({"tf.expand_dims", "tf.concat", "tf.concat_v2", "tf.stack", "tf.pack", "tf.reduce_mean"})
_HARMLESS = frozenset({"tf.name_scope", "tf.device", "tf.variable_scope"})


def is_mean_over_towers(functions: Functions, dotted: str) -> bool:
    """Whether the local function `dotted` returns [(reduce_mean over the towers, variable)] and does nothing else."""
    found = functions.find(dotted)
    if found is None or not isinstance(found[1], ast.FunctionDef):
        return False
    module, function = found[0], found[1]
    assert isinstance(function, ast.FunctionDef)
    if not function.args.args or not _zips_towers(function, function.args.args[0].arg):
        return False
    symbols = _tf_symbols(module, function)
    if not symbols <= _MEAN | _HARMLESS or "tf.reduce_mean" not in symbols:
        return False
    means = [
        n for n in ast.walk(function) if isinstance(n, ast.Call) and _name(module, n.func) == "tf.reduce_mean"
    ]
    return len(means) == 1 and _over_first_axis(means[0]) and not _arithmetic(function)


def _zips_towers(function: ast.FunctionDef, parameter: str) -> bool:
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("zip", "izip"):
            for argument in node.args:
                if isinstance(argument, ast.Starred) and isinstance(argument.value, ast.Name):
                    return argument.value.id == parameter
    return False


def _over_first_axis(call: ast.Call) -> bool:
    axis: ast.expr | None = call.args[1] if len(call.args) > 1 else None
    for keyword in call.keywords:
        if keyword.arg in ("axis", "reduction_indices"):
            axis = keyword.value
    if isinstance(axis, ast.List) and len(axis.elts) == 1:
        axis = axis.elts[0]
    return isinstance(axis, ast.Constant) and axis.value == 0


def _arithmetic(function: ast.FunctionDef) -> bool:
    return any(
        isinstance(node, ast.BinOp) and not isinstance(node.op, ast.Mod) for node in ast.walk(function)
    )


def _tf_symbols(module: LocalModule, function: ast.FunctionDef) -> set[str]:
    symbols: set[str] = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Call):
            name = _name(module, node.func)
            if name is not None and name.startswith("tf."):
                symbols.add(name)
            elif name is not None and name.split(".")[-1] not in _PYTHON:
                symbols.add("?" + name)
    return symbols


_PYTHON = frozenset(
    {"zip", "izip", "append", "len", "list", "range", "xrange", "enumerate", "print", "isinstance"}
)


def _name(module: LocalModule, node: ast.expr) -> str | None:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return module.resolve(".".join([node.id, *reversed(parts)]))

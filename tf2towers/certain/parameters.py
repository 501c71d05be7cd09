"""What the calls of a program give to a function's parameters."""

from __future__ import annotations

import ast

from tf2towers.certain.building import Building
from tf2towers.exact.file import File
from tf2towers.names.meanings import Opaque
from tf2towers.source.nodes import Function


def arguments(function: Function, call: ast.Call) -> dict[str, ast.expr] | None:
    """Each parameter's argument, in the order of the call, else its default; None where that is not plain to see."""
    taken = function.args
    parameters = [parameter.arg for parameter in taken.args]
    if (
        taken.posonlyargs
        or taken.kwonlyargs
        or taken.vararg
        or taken.kwarg
        or len(call.args) > len(parameters)
    ):
        return None
    if any(isinstance(argument, ast.Starred) for argument in call.args):
        return None
    given = dict(zip(parameters, call.args, strict=False))
    for keyword in call.keywords:
        if keyword.arg is None or keyword.arg in given or keyword.arg not in parameters:
            return None
        given[keyword.arg] = keyword.value
    for parameter, default in zip(reversed(parameters), reversed(taken.defaults), strict=False):
        given.setdefault(parameter, default)
    return given if len(given) == len(parameters) else None


def values(building: Building, file: File, node: ast.expr) -> list[tuple[File, ast.expr]] | None:
    """What an expression may be: what its name is set to, once, or what calls give the parameter; None if unknown."""
    return _values(building, file, node, [])


def _values(
    building: Building, file: File, node: ast.expr, asked: list[ast.AST]
) -> list[tuple[File, ast.expr]] | None:
    if not isinstance(node, ast.Name):
        return [(file, node)]
    found = building.home(file, node)
    if found is None or len(found[1]) != 1:
        return None
    function, binding = found[0].node, found[1][0]
    if not isinstance(binding, Opaque):
        value = building.value_of(file, node)
        return None if value is None else _values(building, file, value, asked)
    if not isinstance(binding.node, ast.arg) or not isinstance(function, Function) or function in asked:
        return None
    possible: list[tuple[File, ast.expr]] = []
    for where, use in building.uses_of(function):
        call = where.parent(use)
        given = arguments(function, call) if isinstance(call, ast.Call) and call.func is use else None
        if given is None or building.function_called(where, call) is not function:  # type: ignore[arg-type]
            return None
        argument = given.get(node.id)
        home = file if argument in function.args.defaults else where
        more = None if argument is None else _values(building, home, argument, [*asked, function])
        if more is None:
            return None
        possible += more
    return possible

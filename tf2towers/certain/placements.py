"""Functions that say on which device an operation goes: `tf.device(assign_to_device('/gpu:%d' % i))`."""

from __future__ import annotations

import ast

from tf2towers.certain.building import Building
from tf2towers.exact.file import File
from tf2towers.exact.tower_device import gpu_index
from tf2towers.source.nodes import Function

_STATEMENTS = (ast.Assign, ast.If, ast.Return, ast.FunctionDef, ast.Pass)


def placements(building: Building) -> dict[Function, File]:
    """The functions of the program that make a device function, have no effect, and are called for `tf.device` alone.

    A device changes no value, so in idiomatic form the strategy stands for them.
    """
    return {
        function: file
        for file in building.files
        for function in file.all(ast.FunctionDef)
        if _makes_device_function(file, function)
        and (uses := building.uses_of(function))
        and all(_is_for_device(where, use) for where, use in uses)
    }


def is_of_placement(building: Building, file: File, call: ast.Call) -> bool:
    """Whether a call gives the device function of one tower: `assign_to_device('/gpu:%d' % i, ps_device='/cpu:0')`."""
    return building.function_called(file, call) in placements(building)


def _makes_device_function(file: File, function: ast.FunctionDef) -> bool:
    body = [statement for statement in function.body if not _is_text(statement)]
    if function.decorator_list or len(body) != 2:
        return False
    made, returned = body
    return (
        isinstance(made, ast.FunctionDef)
        and not made.decorator_list
        and len(made.args.args) == 1
        and isinstance(returned, ast.Return)
        and isinstance(returned.value, ast.Name)
        and returned.value.id == made.name
        and all(_has_no_effect(file, node) for node in ast.walk(made))
    )


def _has_no_effect(file: File, node: ast.AST) -> bool:
    if isinstance(node, ast.stmt):
        return isinstance(node, _STATEMENTS) or _is_text(node)
    if isinstance(node, ast.Attribute | ast.Subscript):
        return isinstance(node.ctx, ast.Load)
    if isinstance(node, ast.Call):
        is_format = isinstance(node.func, ast.Attribute) and node.func.attr == "format"
        return is_format or file.canonical(node.func) == "builtins.isinstance"
    return not isinstance(node, ast.Yield | ast.YieldFrom | ast.Await | ast.NamedExpr)


def _is_for_device(file: File, use: ast.expr) -> bool:
    """Whether it is `tf.device(function(...))`, where one argument is a GPU's name and the others are texts."""
    call = file.parent(use)
    if not isinstance(call, ast.Call) or call.func is not use:
        return False
    device = file.parent(call)
    if not isinstance(device, ast.Call) or file.canonical(device.func) != "tf.device":
        return False
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    gpus = [argument for argument in given if gpu_index(file, argument) is not None]
    return len(gpus) == 1 and all(
        isinstance(argument, ast.Constant) for argument in given if argument is not gpus[0]
    )


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)

"""The functions of a program that make its `tf.data` pipelines: they run once, before any step, as they did in TF1."""

from __future__ import annotations

import ast

from tf2towers.certain.building import Building
from tf2towers.exact.file import File
from tf2towers.exact.functions.pipelines import called_with_elements, parts_that_are_datasets
from tf2towers.source.nodes import Function


def pipeline_functions(building: Building) -> set[Function]:
    """Functions that return a dataset, called once, outside the towers; and the functions that they give to `map`."""
    found: set[Function] = set()
    if not building.loops:  # each worker of a cluster would have a pipeline of its own
        return found
    makers: list[tuple[File, Function]] = []
    for file in building.files:
        for function in file.all(ast.FunctionDef):
            if parts_that_are_datasets(file, function) is None or reads_graph(building, file, function):
                continue
            uses = building.uses_of(function)
            if len(uses) == 1 and _is_call_of_a_builder(building, *uses[0]):
                makers.append((file, function))
                found.add(function)
    for home, maker in makers:
        for given in called_with_elements(home, maker):
            if isinstance(given, ast.Name):
                found |= {
                    definition
                    for place, definition in building.functions_named(home, given)
                    if not reads_graph(building, place, definition)
                    and all(
                        any(around is maker for around in where.ancestors(use))
                        for where, use in building.uses_of(definition)
                    )
                }
    return found


def reads_graph(building: Building, file: File, function: ast.AST) -> bool:
    """Whether a function reads what the program's own statements made with TensorFlow."""
    if not any(isinstance(owner, ast.Module) for owner in building.owners):
        return False
    made = building.built(file)
    return any(
        isinstance(node, ast.Name)
        and isinstance(node.ctx, ast.Load)
        and node.id in made
        and (home := building.home(file, node)) is not None
        and isinstance(home[0].node, ast.Module)
        for node in ast.walk(function)
    )


def _is_call_of_a_builder(building: Building, file: File, use: ast.expr) -> bool:
    """Whether a use of a function is `name = function(...)` among the statements that build the towers' graph."""
    call = file.parent(use)
    statement = file.statement(use)
    if not isinstance(call, ast.Call) or call.func is not use or not isinstance(statement, ast.Assign):
        return False
    if statement.value is not call:
        return False
    bodies = {part for _, part in building.bodies}
    for around in file.ancestors(statement):
        if around in bodies or isinstance(around, ast.For | ast.While | ast.If | ast.Try):
            return False
        if isinstance(around, Function | ast.Module):
            return around in building.owners
    return False

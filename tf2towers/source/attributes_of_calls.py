"""What is taken from the values of calls: `model = import_module(name)`, and then `model.loss`, `model.build`."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator

from tf2towers.source.nodes import Function


def attributes_of_calls(tree: ast.Module) -> dict[ast.Call, frozenset[str]]:
    """Call -> the attributes that are taken from its value; without the calls whose value has another use.

    A value is followed to the attribute taken at once (`f().a`, `getattr(f(), 'a')`), and to a name that is bound to
    calls alone in the whole file, and of which attributes alone are taken.
    """
    found: dict[ast.Call, frozenset[str]] = {}
    bound: dict[str, list[ast.Call]] = defaultdict(list)
    assigned: set[ast.Name] = set()
    taken: dict[str, set[str]] = defaultdict(set)
    bases: set[ast.Name] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and len(node.targets) == 1:
            if isinstance(target := node.targets[0], ast.Name):
                bound[target.id].append(node.value)
                assigned.add(target)
        if (of := _attribute(node)) is not None:
            value, name = of
            if isinstance(value, ast.Call):
                found[value] = frozenset({name})
            elif isinstance(value, ast.Name):
                taken[value.id].add(name)
                bases.add(value)
    other = set(_other_uses(tree, assigned | bases))
    for name, calls in bound.items():
        if name not in other:
            found.update(dict.fromkeys(calls, frozenset(taken[name])))
    return found


def binds_a_global(tree: ast.Module, call: ast.Call) -> bool:
    """Whether a call's value may get a name of the module: it is in no function, or in one with `global`."""
    functions = [node for node in ast.walk(tree) if isinstance(node, Function)]
    around = [function for function in functions if call in ast.walk(function)]
    return not around or any(
        isinstance(node, ast.Global) for function in around for node in ast.walk(function)
    )


def _attribute(node: ast.AST) -> tuple[ast.expr, str] | None:
    """The value that an attribute is taken from, and the attribute."""
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
        return node.value, node.attr
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "getattr":
        match node.args:
            case [value, ast.Constant(str(name))]:
                return value, name
    return None


def _other_uses(tree: ast.Module, known: set[ast.Name]) -> Iterator[str]:
    """The names that are bound or used otherwise than in the places that are known."""
    for node in ast.walk(tree):
        match node:
            case ast.Name() if node not in known:
                yield node.id
            case ast.arg():
                yield node.arg
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.name
            case ast.alias():
                yield (node.asname or node.name).partition(".")[0]
            case (
                ast.ExceptHandler(name=str(name))
                | ast.MatchAs(name=str(name))
                | ast.MatchStar(name=str(name))
            ):
                yield name

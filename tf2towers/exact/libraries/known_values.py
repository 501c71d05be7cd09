"""Which calls certainly made a value: `image` after `image = Image.open(path)`."""

from __future__ import annotations

import ast

from tf2towers.exact.file import File
from tf2towers.names.meanings import Assigned, Opaque


def made_by(
    file: File, value: ast.expr, seen: frozenset[ast.expr] = frozenset()
) -> frozenset[ast.Call] | None:
    """The calls that a value may be the result of; None where it may be anything else.

    A name is the result of all the calls that are bound to it, by `=` or `with ... as`.
    """
    if isinstance(value, ast.Call):
        return frozenset({value})
    if not isinstance(value, ast.Name):
        return None
    found: frozenset[ast.Call] = frozenset()
    bindings = file.meanings.bindings(value)
    for binding in bindings:
        bound = _bound_value(file, binding)
        if bound is None:
            return None
        if bound not in seen:
            calls = made_by(file, bound, seen | {bound})
            if calls is None:
                return None
            found |= calls
    return found if bindings else None


def _bound_value(file: File, binding: object) -> ast.expr | None:
    if isinstance(binding, Assigned):
        return binding.value
    if isinstance(binding, Opaque):
        around = file.parent(binding.node)
        if isinstance(around, ast.withitem) and around.optional_vars is binding.node:
            return around.context_expr
    return None

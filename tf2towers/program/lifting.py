"""An input pipeline inside the model's function: `def tower_loss(scope): images, labels = inputs(); ...`.

The replica function cannot hold queues, so the batch is taken outside and handed in: the function gets parameters for
what the statement bound, and the statement goes.
"""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst

from tf2towers.program import kinds as k
from tf2towers.program.flow import flow_of
from tf2towers.program.kinds import Kinds
from tf2towers.program.problems import Problem


@dataclass(eq=False)
class Lift:
    """One function of the script that takes its batch itself, and the call of it in the tower loop."""

    function: cst.FunctionDef
    statement: cst.SimpleStatementLine
    call: cst.Call
    names: list[str]
    source: cst.Call
    whole: bool


def find_lift(module: cst.Module, call: cst.Call, kinds: Kinds) -> Lift | Problem:
    """How to lift the input out of the function that `call` calls, or why it cannot be."""
    canonical = kinds.resolver.canonical(call.func)
    function = next(
        (s for s in module.body if isinstance(s, cst.FunctionDef) and s.name.value == canonical), None
    )
    if function is None:
        return Problem(
            call, "T2T305", f"{canonical} builds its input pipeline inside a module the tool does not change"
        )
    own = {p.name.value for p in function.params.params}
    found: list[tuple[cst.SimpleStatementLine, cst.Assign]] = []
    for statement in function.body.body:
        if isinstance(statement, cst.SimpleStatementLine) and len(statement.body) == 1:
            small = statement.body[0]
            if isinstance(small, cst.Assign) and kinds.of(small.value) == k.PIPELINE:
                found.append((statement, small))
    if len(found) != 1:
        return Problem(call, "T2T305", f"{canonical} has no single statement that takes its batch")
    statement, assign = found[0]
    target = assign.targets[0].target
    names = _names(target)
    if names is None or not isinstance(assign.value, cst.Call):
        return Problem(statement, "T2T305", "an input that is not assigned to plain names")
    if flow_of(assign.value).reads & own:
        return Problem(statement, "T2T305", "an input pipeline that depends on the function's own arguments")
    return Lift(function, statement, call, names, assign.value, isinstance(target, cst.Name))


def _names(target: cst.BaseExpression) -> list[str] | None:
    if isinstance(target, cst.Name):
        return [target.value]
    if isinstance(target, cst.Tuple) and all(isinstance(e.value, cst.Name) for e in target.elements):
        return [e.value.value for e in target.elements if isinstance(e.value, cst.Name)]
    return None

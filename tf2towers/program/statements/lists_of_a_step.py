"""Lists that the graph's statements fill after the towers: they are the step's own, not the program's."""

from __future__ import annotations

import libcst as cst

from tf2towers.program.statements.trainer_statement import MIXED
from tf2towers.program.statements.value_kinds import PLAIN, TENSOR
from tf2towers.program.training import Training

_MAKERS = frozenset({"list", "dict", "set"})


def read_lists(training: Training) -> None:
    """`xs = []`, filled by statements that make tensors, goes with them: every trace starts with an empty one."""
    filled = {
        name
        for statement in training.statements
        if statement.kind in (TENSOR, MIXED)
        for name in statement.flow.mutates
    }
    filled -= training.tower_loop_statement.flow.writes
    for statement in training.statements:
        if (
            statement.kind == PLAIN
            and statement.assign is not None
            and statement.flow.binds
            and statement.flow.binds <= filled
        ):
            if _is_container(statement.assign.value):
                statement.kind = TENSOR


def _is_container(value: cst.BaseExpression) -> bool:
    if isinstance(value, cst.Call):
        return isinstance(value.func, cst.Name) and value.func.value in _MAKERS and not value.args
    return isinstance(value, cst.List | cst.Dict | cst.Set | cst.Tuple)

"""What the steps of a program without towers begin with alike: one function, which each of them calls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

import libcst as cst

from tf2towers.program.python_code.data_flow import flow_of
from tf2towers.program.python_code.search import find_all
from tf2towers.program.statements.trainer_statement import TrainerStatement
from tf2towers.program.training import Step

#: statements below which a function of their own would be more to read than they are
FEWEST = 3


@dataclass(frozen=True)
class SharedModel:
    """The function.

    Attributes:
        name: what it is called.
        statements: its statements. They are the first ones of every step that calls it, so nothing changes its order.
        parameters: the inputs that they read.
        results: the names that they bind, and that a step reads.
    """

    name: str
    statements: list[TrainerStatement]
    parameters: list[str]
    results: list[str]


def common_beginning(steps: Sequence[Step]) -> list[TrainerStatement]:
    """The statements that all steps begin with; none where there is one step only, or little to share."""
    if len(steps) < 2 or any(step.uses_towers for step in steps):
        return []
    rows = zip(*(step.slice.statements for step in steps), strict=False)
    common = [row[0] for row in takewhile(lambda row: all(statement is row[0] for statement in row), rows)]
    size = sum(len(find_all(statement.node, cst.SimpleStatementLine)) for statement in common)
    return common if size >= FEWEST else []


def read_after(steps: Sequence[Step], common: Sequence[TrainerStatement]) -> set[str]:
    """The names that steps read behind their common beginning, or return."""
    behind = [statement for step in steps for statement in step.slice.statements[len(common) :]]
    read = {
        name for statement in behind for name in statement.flow.reads | flow_of(*statement.contexts).reads
    }
    return read | {name for step in steps for fetch in step.fetches for name in flow_of(fetch).reads}

"""A statement of a trainer, and what it is."""

from __future__ import annotations

from dataclasses import dataclass, field

import libcst as cst

from tf2towers.program.python_code.data_flow import Flow
from tf2towers.program.python_code.search import only_small

StatementNode = cst.SimpleStatementLine | cst.BaseCompoundStatement
INPUT, TOWERS, MIXED, DROPPED = "input", "towers", "mixed", "dropped"


@dataclass(eq=False)
class TrainerStatement:
    """One statement of the trainer.

    `kind` is 'plain', 'state', 'tensor', 'input', 'session', 'towers', 'dropped', or 'mixed' for a compound statement
    whose `inner` statements differ. `detail` is the exact kind of what it assigns. `contexts` are the blocks around it
    that mean something to tensors (variable scopes, name scopes), outermost first.
    """

    node: StatementNode
    kind: str
    detail: str
    flow: Flow
    contexts: tuple[cst.With, ...] = ()
    inner: list[TrainerStatement] = field(default_factory=list)

    @property
    def assign(self) -> cst.Assign | None:
        """The assignment this statement consists of, if it is one."""
        small = only_small(self.node)
        return small if isinstance(small, cst.Assign) else None

    def every(self) -> list[TrainerStatement]:
        """This statement, and all statements within it."""
        return [self, *(statement for inner in self.inner for statement in inner.every())]

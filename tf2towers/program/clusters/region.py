"""The statements that every worker of a cluster runs for itself."""

from __future__ import annotations

from dataclasses import dataclass, field

import libcst as cst

from tf2towers.program.clusters.cluster import Suite
from tf2towers.program.statements.trainer_statement import TrainerStatement


@dataclass(eq=False)
class Region:
    """The statements from `first` to the end of `suite`.

    The statements in `brought` go in front of them; those in `gone` are no longer where they stood.
    """

    suite: Suite
    first: cst.CSTNode
    brought: list[TrainerStatement] = field(default_factory=list)
    gone: list[TrainerStatement] = field(default_factory=list)
    trailing: list[TrainerStatement] = field(
        default_factory=list
    )  # behind the block that the session stands in, and part of it
    graph_differs: bool = False  # the chief's graph has more than the others'

    @property
    def nodes(self) -> list[cst.CSTNode]:
        """The statements as they stood in the script."""
        body: list[cst.CSTNode] = list(self.suite.body)
        return body[body.index(self.first) :]

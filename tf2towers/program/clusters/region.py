"""The statements that every worker of a cluster runs for itself."""

from __future__ import annotations

from dataclasses import dataclass, field

import libcst as cst

from tf2towers.program.clusters.cluster import Suite
from tf2towers.program.problem import Problem
from tf2towers.program.statements.trainer_statement import Leaf


@dataclass(eq=False)
class Region:
    """The statements from `first` to the end of `suite`.

    `brought` leaves go in front of them, `gone` ones leave their place.
    """

    suite: Suite
    first: cst.CSTNode
    brought: list[Leaf] = field(default_factory=list)
    gone: list[Leaf] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    trailing: list[Leaf] = field(
        default_factory=list
    )  # behind the block that the session stands in, and part of it
    graph_differs: bool = False  # the chief's graph has more than the others'

    @property
    def statements(self) -> list[cst.CSTNode]:
        """The statements as they stood."""
        body: list[cst.CSTNode] = list(self.suite.body)
        return body[body.index(self.first) :]

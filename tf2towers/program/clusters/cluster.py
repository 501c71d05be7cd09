"""The cluster of a parameter-server script: its server, whose task this is, the placed graph, synchronous or not."""

from __future__ import annotations

from dataclasses import dataclass, field

import libcst as cst

Suite = cst.IndentedBlock | cst.Module


@dataclass(eq=False)
class Cluster:
    """One parameter-server program.

    `server` is the call of `tf.train.Server`, `name` the variable that holds it, `task_index` the expression of this
    task's index; `stage` is the block on the parameter servers' devices. `parents` are the nodes around the stage,
    outermost first, the owner's function (or the module) among them. `blocks` maps each statement of the owner to the
    suite it stands in. `synchronous` is the condition under which updates are synchronous: None for never.
    """

    server: cst.Call
    name: str
    cluster: cst.BaseExpression
    job_name: cst.BaseExpression
    task_index: cst.BaseExpression
    stage: cst.With
    parents: tuple[cst.CSTNode, ...]
    blocks: dict[cst.CSTNode, Suite]
    around: dict[cst.CSTNode, tuple[cst.CSTNode, ...]]
    synchronous: cst.BaseExpression | None = None
    wrapping: list[cst.Call] = field(default_factory=list)  # the calls of SyncReplicasOptimizer

    @property
    def owner(self) -> cst.FunctionDef | cst.Module:
        """The innermost function around the stage, or the module."""
        return next(
            parent for parent in reversed(self.parents) if isinstance(parent, cst.FunctionDef | cst.Module)
        )

    @property
    def holders(self) -> list[cst.CSTNode]:
        """The statements between the owner and the stage."""
        return list(self.parents[self.parents.index(self.owner) + 1 :])

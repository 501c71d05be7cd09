"""Backward slices: the statements a fetched value needs, in order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import libcst as cst

from tf2towers.program.python_code.data_flow import flow_of, upward_exposed
from tf2towers.program.python_code.side_effects import Effects
from tf2towers.program.statements.trainer_statement import INPUT, TrainerStatement
from tf2towers.program.statements.value_kinds import TENSOR


@dataclass
class Slice:
    """Statements in program order, and the names they take from outside (plain Python, state, inputs)."""

    statements: list[TrainerStatement] = field(default_factory=list)
    needs: set[str] = field(default_factory=set)


def slice_for(
    wanted: Iterable[str], statements: Sequence[TrainerStatement], effects: dict[TrainerStatement, Effects]
) -> Slice:
    """Those of the statements that the names `wanted` depend on; '$' names stand for collections."""
    needed = set(wanted)
    kept: list[TrainerStatement] = []
    for statement in reversed(statements):
        effect = effects[statement]
        if not (statement.flow.writes - _brought_in(statement) | effect.writes) & needed:
            continue
        kept.append(statement)
        reads = upward_exposed([statement.node])
        if _certain(statement):
            needed -= statement.flow.binds - reads
        needed |= (
            (reads if _certain(statement) else statement.flow.reads)
            | effect.reads
            | _brought_and_read(statement)
        )
        for context in statement.contexts:
            needed |= context_reads(context)
    return Slice(list(reversed(kept)), {name for name in needed if not name.startswith("$")})


def context_reads(context: object) -> set[str]:
    """Names read by the items of a with block."""
    return flow_of(*context.items).reads  # type: ignore[attr-defined]


def _brought_in(statement: TrainerStatement) -> set[str]:
    """The placeholders and batches in a block that makes tensors too: whoever needs them is given them."""
    inner = [part for part in statement.every()[1:] if not part.inner]
    brought = {name for part in inner if part.kind == INPUT for name in part.flow.binds}
    return brought - {name for part in inner if part.kind != INPUT for name in part.flow.writes}


def _brought_and_read(statement: TrainerStatement) -> set[str]:
    """The placeholders and batches in a block that a tensor of the same block is made of."""
    inner = [part for part in statement.every()[1:] if not part.inner and part.kind != INPUT]
    return _brought_in(statement) & {name for part in inner for name in part.flow.reads}


def _certain(statement: TrainerStatement) -> bool:
    """Whether the statement binds its names whatever happens (not under an `if` or a loop)."""
    if isinstance(statement.node, cst.With) and statement.inner:
        return all(_certain(inner) or inner.kind == INPUT for inner in statement.inner)
    return statement.assign is not None and statement.kind == TENSOR

"""Backward slices: the statements a fetched value needs, in order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import libcst as cst

from tf2towers.program.python_code.data_flow import flow_of, upward_exposed
from tf2towers.program.python_code.side_effects import Effects
from tf2towers.program.statements.trainer_statement import INPUT, Leaf
from tf2towers.program.statements.value_kinds import TENSOR


@dataclass
class Slice:
    """Leaves in program order, and the names they take from outside (plain Python, state, inputs)."""

    leaves: list[Leaf] = field(default_factory=list)
    needs: set[str] = field(default_factory=set)


def slice_for(wanted: Iterable[str], leaves: Sequence[Leaf], effects: dict[Leaf, Effects]) -> Slice:
    """The leaves among `leaves` that the names `wanted` depend on; '$' names stand for collections."""
    needed = set(wanted)
    kept: list[Leaf] = []
    for leaf in reversed(leaves):
        effect = effects[leaf]
        if not (leaf.flow.writes - _brought_in(leaf) | effect.writes) & needed:
            continue
        kept.append(leaf)
        reads = upward_exposed([leaf.node])
        if _certain(leaf):
            needed -= leaf.flow.binds - reads
        needed |= (reads if _certain(leaf) else leaf.flow.reads) | effect.reads | _brought_and_read(leaf)
        for context in leaf.contexts:
            needed |= context_reads(context)
    return Slice(list(reversed(kept)), {name for name in needed if not name.startswith("$")})


def context_reads(context: object) -> set[str]:
    """Names read by the items of a with block."""
    return flow_of(*context.items).reads  # type: ignore[attr-defined]


def _brought_in(leaf: Leaf) -> set[str]:
    """The placeholders and batches in a block that makes tensors too: whoever needs them is given them."""
    inner = [part for part in leaf.every()[1:] if not part.inner]
    brought = {name for part in inner if part.kind == INPUT for name in part.flow.binds}
    return brought - {name for part in inner if part.kind != INPUT for name in part.flow.writes}


def _brought_and_read(leaf: Leaf) -> set[str]:
    """The placeholders and batches in a block that a tensor of the same block is made of."""
    inner = [part for part in leaf.every()[1:] if not part.inner and part.kind != INPUT]
    return _brought_in(leaf) & {name for part in inner for name in part.flow.reads}


def _certain(leaf: Leaf) -> bool:
    """Whether the leaf binds its names whatever happens (not under an `if` or a loop)."""
    if isinstance(leaf.node, cst.With) and leaf.inner:
        return all(_certain(inner) or inner.kind == INPUT for inner in leaf.inner)
    return leaf.assign is not None and leaf.kind == TENSOR

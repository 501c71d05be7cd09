"""Backward slices: the statements a fetched value needs, in order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from tf2towers.program.python_code.side_effects import Effects
from tf2towers.program.statements import value_kinds as k
from tf2towers.program.statements.trainer_statement import Leaf


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
        if not (leaf.flow.writes | effect.writes) & needed:
            continue
        kept.append(leaf)
        if _certain(leaf):
            needed -= leaf.flow.binds - leaf.flow.reads
        needed |= leaf.flow.reads | effect.reads
        for context in leaf.contexts:
            needed |= context_reads(context)
    return Slice(list(reversed(kept)), {name for name in needed if not name.startswith("$")})


def context_reads(context: object) -> set[str]:
    """Names read by the items of a with block."""
    from tf2towers.program.python_code.data_flow import flow_of

    return flow_of(*context.items).reads  # type: ignore[attr-defined]


def _certain(leaf: Leaf) -> bool:
    """Whether the leaf binds its names whatever happens (not under an `if` or a loop)."""
    return leaf.assign is not None and leaf.kind == k.TENSOR

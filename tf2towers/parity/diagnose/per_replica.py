"""An optimizer with slots is applied N times a step, or keeps its slots with another constant.

Slots change linearly, after = kept * before + taken * g (g**2 for second moments). N applications of one gradient make
kept**N and taken * (1 + kept + .. + kept**(N-1)) of it. Recognised by fitting both numbers to each side's slots.
"""

from __future__ import annotations

from tf2towers.parity.diagnose.evidence import Evidence
from tf2towers.parity.diagnose.mistake import Mistake
from tf2towers.parity.diagnose.optimizer_rules import Transition
from tf2towers.parity.diagnose.updates import Updates, updates_of
from tf2towers.report.parity_result import Diagnosis

_NEAR = 5e-3


def _near(one: float, other: float) -> bool:
    return abs(one - other) <= _NEAR * max(abs(one), abs(other), 1e-12)


def _own_slots(updates: Updates) -> bool:
    steps = zip(updates.pairs, updates.migrated, strict=True)
    return any(pair.migrated.slots(change.name) for pair, made in steps for change in made[:1])


def _times(one: Transition, count: int) -> Transition:
    taken = one.taken * sum(one.kept**power for power in range(count))
    return Transition(one.kept**count, taken, one.squared)


def _recognise(evidence: Evidence) -> Diagnosis | None:
    updates = updates_of(evidence)
    if not updates.pairs or not _own_slots(updates):
        return None
    count = min(
        len(c.slots_after) for side in (updates.original, updates.migrated) for made in side for c in made
    )
    known = []
    for slot in range(count):
        one, other = updates.transition("original", slot), updates.transition("migrated", slot)
        if one is not None and other is not None and one.squared == other.squared:
            known.append((slot, one, other))
    differing = [
        (one, other)
        for slot, one, other in known
        if not (_near(one.kept, other.kept) and _near(one.taken, other.taken))
        and updates.slot_differs(slot, one)
    ]
    if not differing:
        return None
    step = updates.first if updates.first is not None else updates.pairs[0].index
    towers = evidence.towers
    often = [_times(one, towers) for _, one, _ in known]
    if towers > 1 and all(
        _near(expected.kept, other.kept) and _near(expected.taken, other.taken)
        for expected, (_, _, other) in zip(often, known, strict=True)
    ):
        return Diagnosis(
            "applied once per replica",
            f"The optimizer's slots move as if each gradient were applied {towers} times a step: once by each replica.",
            "Apply the averaged gradient once, in the cross-replica context or with a mirrored variable.",
            step,
        )
    one, other = differing[0]
    if not _near(one.taken / (1 - one.kept or 1.0), other.taken / (1 - other.kept or 1.0)) and not _near(
        one.taken, other.taken
    ):
        return None  # neither an average (kept + taken = 1) nor an accumulator with another constant
    what = "second moment" if one.squared else "slot"
    return Diagnosis(
        "optimizer constant",
        f"The optimizer's {what} keeps {other.kept:.6g} of itself a step, the original's {one.kept:.6g} (momentum, "
        "beta or decay).",
        "Give the optimizer the original's constants.",
        step,
    )


PER_REPLICA = Mistake(("applied once per replica", "optimizer constant"), "update", _recognise)

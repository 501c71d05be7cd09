"""An optimizer with slots is applied N times a step, or keeps its slots with another constant.

Slots change linearly, after = kept * before + taken * g (g**2 for second moments). N applications of one gradient make
kept**N and taken * (1 + kept + .. + kept**(N-1)) of it. Recognised by fitting both numbers to each side's slots.
"""

from __future__ import annotations

from tf2towers.report.parity_result import Diagnosis
from tf2towers.verify.diagnose.evidence import Evidence, Mistake
from tf2towers.verify.diagnose.updates import Transition, Updates, updates_of

_NEAR = 5e-3


def _near(left: float, right: float) -> bool:
    return abs(left - right) <= _NEAR * max(abs(left), abs(right), 1e-12)


def _own_slots(updates: Updates) -> bool:
    steps = zip(updates.pairs, updates.migrated, strict=True)
    return any(pair.migrated.slots(change.name) for pair, made in steps for change in made[:1])


def _times(mine: Transition, count: int) -> Transition:
    taken = mine.taken * sum(mine.kept**power for power in range(count))
    return Transition(mine.kept**count, taken, mine.squared)


def _recognise(evidence: Evidence) -> Diagnosis | None:
    updates = updates_of(evidence)
    if not updates.pairs or not _own_slots(updates):
        return None
    count = min(
        len(change.slots_after)
        for side in (updates.original, updates.migrated)
        for made in side
        for change in made
    )
    known = []
    for slot in range(count):
        mine, its = updates.transition("original", slot), updates.transition("migrated", slot)
        if mine is not None and its is not None and mine.squared == its.squared:
            known.append((slot, mine, its))
    differing = [
        (mine, its)
        for slot, mine, its in known
        if not (_near(mine.kept, its.kept) and _near(mine.taken, its.taken))
        and updates.slot_differs(slot, mine)
    ]
    if not differing:
        return None
    step = updates.first if updates.first is not None else updates.pairs[0].index
    towers = evidence.towers
    often = [_times(mine, towers) for _, mine, _ in known]
    if towers > 1 and all(
        _near(expected.kept, its.kept) and _near(expected.taken, its.taken)
        for expected, (_, _, its) in zip(often, known, strict=True)
    ):
        return Diagnosis(
            "applied once per replica",
            f"The optimizer's slots move as if each gradient were applied {towers} times a step: once by each replica.",
            "Apply the averaged gradient once, in the cross-replica context or with a mirrored variable.",
            step,
        )
    mine, its = differing[0]
    if not _near(mine.taken / (1 - mine.kept or 1.0), its.taken / (1 - its.kept or 1.0)) and not _near(
        mine.taken, its.taken
    ):
        return None  # neither an average (kept + taken = 1) nor an accumulator with another constant
    what = "second moment" if mine.squared else "slot"
    return Diagnosis(
        "optimizer constant",
        f"The optimizer's {what} keeps {its.kept:.6g} of itself a step, the original's {mine.kept:.6g} (momentum, "
        "beta or decay).",
        "Give the optimizer the original's constants.",
        step,
    )


PER_REPLICA = Mistake(("applied once per replica", "optimizer constant"), "update", _recognise)

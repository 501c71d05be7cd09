"""The updates do not follow the original's formula with any rate, but another optimizer's.

Recognised by fitting each formula of `updates` to the migrated run's own gradients, slots and updates. An
optimizer whose slots are not recorded is known by its past updates (momentum: u_k = mu * u_(k-1) - lr * g_k) or by
moments made anew from its gradients (Adam with 0.9 and 0.999, from a first step).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from tf2towers.parity.diagnose.evidence import Evidence, Mistake
from tf2towers.parity.diagnose.numbers import EQUAL, Explained, fitted, largest, rounded, scaled
from tf2towers.parity.diagnose.updates import (
    ADAM,
    DESCENT,
    MOMENTUM,
    RULES,
    Change,
    Fit,
    Updates,
    changes,
    fit,
    updates_of,
)
from tf2towers.report.parity_result import Diagnosis


def _own(evidence: Evidence, updates: Updates) -> list[list[Change]]:
    """The migrated run's updates with its own slots alone."""
    return [
        changes(pair.migrated, [change.name for change in made])
        for pair, made in zip(updates.pairs, updates.migrated, strict=True)
    ]


def _with_adams_moments(steps: list[list[Change]]) -> list[list[Change]]:
    moments: dict[str, tuple[np.ndarray, np.ndarray]] = {}
    made: list[list[Change]] = []
    for step in steps:
        made.append([])
        for change in step:
            zero = np.zeros_like(change.gradient)
            first, second = moments.get(change.name, (zero, zero))
            after = (0.9 * first + 0.1 * change.gradient, 0.999 * second + 0.001 * change.gradient**2)
            moments[change.name] = after
            made[-1].append(replace(change, slots=[first, second], slots_after=list(after)))
    return made


def _candidates(steps: list[list[Change]]) -> Iterator[tuple[Fit | None, list[list[Change]]]]:
    counts = {len(change.slots_after) for made in steps for change in made}
    for rule in RULES:
        if not rule.slots or counts == {rule.slots}:
            yield fit(rule, steps), steps
    if counts == {0}:
        anew = _with_adams_moments(steps)
        yield fit(ADAM, anew), anew


def _momentum_by_updates(updates: Updates, steps: list[list[Change]]) -> tuple[float, float, float] | None:
    """(mu, rate, part explained) of a momentum that is known by its updates alone."""
    now: list[Change] = []
    last: list[np.ndarray] = []
    expected: list[np.ndarray] = []
    for place in range(1, len(steps)):
        updates_before = {change.name: change.update for change in steps[place - 1]}
        for change, own in zip(steps[place], updates.migrated[place], strict=True):
            if change.name in updates_before and place in updates.usable_places:
                now.append(change)
                last.append(updates_before[change.name])
                expected.append(updates.expected(place, own))
    if not now:
        return None
    allowed = [change.allowed for change in now]
    columns = [scaled(last, allowed), scaled((change.gradient for change in now), allowed)]
    found = fitted(columns, scaled((change.update for change in now), allowed))
    if found is None or not 0.05 < found[0] < 1 or found[1] >= 0:
        return None
    explained = Explained()
    for change, past, otherwise in zip(now, last, expected, strict=True):
        assumed = found[0] * past + found[1] * change.gradient
        explained.add(change.update, assumed, otherwise, 2 * change.allowed + 10 * EQUAL * largest(assumed))
    return float(found[0]), float(-found[1]), explained.part


def _made(found: Fit, own: list[dict[str, Change]], place: int, change: Change) -> np.ndarray | None:
    return found.update(place, own[place][change.name])


def _recognise(evidence: Evidence) -> Diagnosis | None:
    updates = updates_of(evidence)
    if updates.fit is None or updates.first is None or len(updates.usable_places) < 2:
        return None
    mine = updates.fit.rule
    steps = _own(evidence, updates)
    for found, changed in _candidates(steps):
        if found is None or not found.holds or found.rule is mine:
            continue
        own = [{change.name: change for change in made} for made in changed]
        part = updates.part(partial(_made, found, own))
        if part:
            return _diagnosis(mine.name, found.rule.name, updates.first, part)
    past = _momentum_by_updates(updates, steps)
    if past is None or not past[2]:
        return None
    mu, _, part = past
    if mine is MOMENTUM:
        moves = updates.transition("original", 0)
        if moves is None or abs(moves.kept - mu) <= 0.01:
            return None
        return Diagnosis(
            "optimizer constant",
            f"The updates are those of momentum {rounded(mu)}; the original's is {rounded(moves.kept)}.",
            "Give the optimizer the original's constants.",
            updates.first,
            part,
        )
    return _diagnosis(mine.name, "momentum", updates.first, part) if mine is DESCENT else None


def _diagnosis(mine: str, other: str, step: int, part: float) -> Diagnosis:
    return Diagnosis(
        "other optimizer",
        f"The original's updates are those of {mine}, the migrated run's those of {other}.",
        f"Use the original's optimizer ({mine}).",
        step,
        part,
    )


OTHER_OPTIMIZER = Mistake(("other optimizer", "optimizer constant"), "update", _recognise)

"""The updates do not follow the original's formula with any rate, but another optimizer's.

Recognised by fitting each formula of `updates` to the migrated run's own gradients, slots and updates.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from tf2towers.report.parity_result import Diagnosis
from tf2towers.verify.diagnose.evidence import Evidence, Mistake
from tf2towers.verify.diagnose.updates import (
    RULES,
    Change,
    Fit,
    Updates,
    changes,
    fit,
    updates_of,
)


def _own(evidence: Evidence, updates: Updates) -> list[list[Change]]:
    """The migrated run's updates with its own slots alone."""
    return [
        changes(pair.migrated, [change.name for change in made])
        for pair, made in zip(updates.pairs, updates.migrated, strict=True)
    ]


def _recognise(evidence: Evidence) -> Diagnosis | None:
    updates = updates_of(evidence)
    if updates.fit is None or updates.first is None or len(updates.usable_places) < 2:
        return None
    mine = updates.fit.rule.name
    steps = _own(evidence, updates)
    counts = {len(change.slots_after) for made in steps for change in made}
    own = [{change.name: change for change in made} for made in steps]
    for rule in RULES:
        found = fit(rule, steps) if not rule.slots or counts == {rule.slots} else None
        if found is None or not found.holds or rule is updates.fit.rule:
            continue
        part = updates.part(partial(_made, found, own))
        if part:
            return Diagnosis(
                "other optimizer",
                f"The original's updates are those of {mine}, the migrated run's those of {rule.name}.",
                f"Use the original's optimizer ({mine}).",
                updates.first,
                part,
            )
    return None


def _made(found: Fit, own: list[dict[str, Change]], place: int, change: Change) -> np.ndarray | None:
    return found.update(place, own[place][change.name])


OTHER_OPTIMIZER = Mistake(("other optimizer",), "update", _recognise)

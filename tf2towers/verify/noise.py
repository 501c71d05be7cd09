"""What of a difference is rounding: gradients that are 0 in exact arithmetic, as the original's in float64 show."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from tf2towers.report.parity_result import ParityResult
from tf2towers.verify.process import RunFailed
from tf2towers.verify.program import makes_session_calls
from tf2towers.verify.recording import Recording, Step
from tf2towers.verify.sides import Options, record_original

#: a gradient in float64 that is so much smaller than in float32 is 0 in exact arithmetic
_NOTHING = 2.0**-18
#: two roundings of one such gradient are seldom further apart
_ALIKE = 16.0


def record_steps_of_both(
    result: ParityResult, options: Options, place: Path, *, double: bool
) -> tuple[Recording, Recording] | None:
    """What the training steps of two programs of sessions are made of: both are run once more.

    Args:
        double: the original's gradients are computed in float64 as well.

    Returns:
        None where one of them fails then; a note says so.
    """
    found = []
    for side, script, migrated in (
        ("original", result.original.script, makes_session_calls(result.original.script)),
        ("migrated", result.migrated.script, True),
    ):
        how = dataclasses.replace(
            options, steps=min(options.steps, 4), continuous=True, double=double and side == "original"
        )
        folder = place / f"{side}-steps"
        try:
            found.append(record_original(script, result.arguments, folder, how, migrated=migrated).folder)
        except RunFailed as problem:
            result.notes.append(f"no cause was looked for: {str(problem).splitlines()[0]}")
            return None
    return Recording.load(found[0]), Recording.load(found[1])


def gradients_of_rounding(original: Iterable[Step], migrated: Iterable[Step]) -> set[str]:
    """The variables whose gradients are 0 in exact arithmetic: what either side has is rounding, of about one size.

    Such are a bias before a batch norm and the bias of attention's keys. Adam makes whole steps of them, in a direction
    of its own on each side; nothing else in the program depends on those variables.
    """
    found: dict[str, bool] = {}
    for mine, its in zip(original, migrated, strict=False):
        for name, exact in mine.gradients64.items():
            own = _largest(mine.gradients[name])
            none = _largest(exact) <= _NOTHING * own and _largest(its.gradients.get(name)) <= _ALIKE * own
            found[name] = found.get(name, True) and none
    return {name for name, is_nothing in found.items() if is_nothing}


def _largest(value: np.ndarray | None) -> float:
    return float("inf") if value is None else float(np.max(np.abs(value), initial=0.0))

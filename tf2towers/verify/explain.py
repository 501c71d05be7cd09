"""What differs first between two recordings of training steps, and why."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from tf2towers.report.parity_result import ParityResult
from tf2towers.verify.diagnose import diagnose, first_differences
from tf2towers.verify.process import RunFailed
from tf2towers.verify.program import makes_session_calls
from tf2towers.verify.recording import Recording
from tf2towers.verify.sides import Options, record_original


def explain(result: ParityResult, original: Recording, migrated: Recording, lockstep: bool) -> None:
    """Writes into `result` what differs first, and why."""
    result.first_step, result.first_layer, result.first_gradient = first_differences(original, migrated)
    result.diagnoses = diagnose(original, migrated, lockstep)


def record_steps_of_both(
    result: ParityResult, options: Options, place: Path, *, double: bool
) -> tuple[Path, Path] | None:
    """What the training steps of two programs of sessions are made of: both are run once more.

    Args:
        double: the original's gradients are computed in float64 as well, and each step of the migrated script starts
            from the original's variables: it runs on another TensorFlow.

    Returns:
        The recordings' folders; None where one of them fails then; a note says so.
    """
    found: list[Path] = []
    for side, script, migrated in (
        ("original", result.original.script, makes_session_calls(result.original.script)),
        ("migrated", result.migrated.script, True),
    ):
        how = dataclasses.replace(
            options,
            steps=min(options.steps, 4),
            continuous=True,
            double=double and side == "original",
            in_step=found[0] if double and found else None,
        )
        folder = place / f"{side}-steps"
        try:
            found.append(record_original(script, result.arguments, folder, how, migrated=migrated).folder)
        except RunFailed as problem:
            result.notes.append(f"no cause was looked for: {str(problem).splitlines()[0]}")
            return None
    return found[0], found[1]

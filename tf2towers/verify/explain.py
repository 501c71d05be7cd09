"""What differs first between two recordings of training steps, and why."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from tf2towers.report.parity_result import ParityResult
from tf2towers.verify.diagnose import diagnose, first_differences
from tf2towers.verify.process import RunFailed
from tf2towers.verify.recording import Recording
from tf2towers.verify.sides import Options, record_original


def explain(result: ParityResult, original: Recording, migrated: Recording, lockstep: bool) -> None:
    """Writes into `result` what differs first, and why."""
    result.first_step, result.first_layer, result.first_gradient = first_differences(original, migrated)
    result.diagnoses = diagnose(original, migrated, lockstep)


def explain_calls(result: ParityResult, options: Options, place: Path) -> None:
    """Why session calls differ: both programs run once more, and what their training steps are made of is recorded.

    The causes come before the first difference that is there already. Nothing is said where that run fails.
    """
    steps = dataclasses.replace(options, steps=min(options.steps, 4), continuous=True)
    found = []
    for side, script, migrated in (
        ("original", result.original.script, False),
        ("migrated", result.migrated.script, True),
    ):
        folder = place / f"{side}-steps"
        try:
            found.append(record_original(script, result.arguments, folder, steps, migrated=migrated).folder)
        except RunFailed as problem:
            result.notes.append(f"no cause was looked for: {str(problem).splitlines()[0]}")
            return
    original, migrated_run = map(Recording.load, found)
    result.diagnoses = [*diagnose(original, migrated_run, lockstep=False), *result.diagnoses]

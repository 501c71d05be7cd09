"""Names for the functions that the session's calls become."""

from __future__ import annotations

import libcst as cst

from tf2towers.program import kinds as k
from tf2towers.program.model import Step, Training
from tf2towers.rewrites.context import FileContext


def name_steps(training: Training, context: FileContext) -> None:
    """Gives every step a name that says what it does and that the file does not use yet."""
    for step in training.steps:
        step.name = context.fresh(_base_name(step, training))


def _base_name(step: Step, training: Training) -> str:
    if step.trains:
        return "train_step"
    if len(step.fetches) == 1 and isinstance(step.fetches[0], cst.Name):
        fetched = step.fetches[0].value
        if training.kinds.of(step.fetches[0]) == k.OP:
            return f"run_{fetched}"
        return f"evaluate_{fetched}"
    return "evaluate"

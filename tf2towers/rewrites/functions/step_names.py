"""Names for the functions that the session's calls become."""

from __future__ import annotations

import libcst as cst

from tf2towers.program.statements.value_kinds import OP
from tf2towers.program.training import Step, Training
from tf2towers.rewrites.files.file_context import FileContext

_OTHER_NAMES = ["training_step", "one_step"]  # where the script has a train_step of its own


def name_steps(training: Training, context: FileContext) -> None:
    """Gives every step a name that says what it does and that the file does not use yet."""
    own = set(context.used_names)
    for step in training.steps:
        base = _base_name(step, training)
        others = _OTHER_NAMES if base in own and base == "train_step" else []
        step.name = context.fresh(next((other for other in others if other not in context.used_names), base))


def _base_name(step: Step, training: Training) -> str:
    if step.trains:
        return "train_step"
    if len(step.fetches) == 1 and isinstance(step.fetches[0], cst.Name):
        fetched = step.fetches[0].value
        if training.value_kinds.of(step.fetches[0]) == OP:
            return f"run_{fetched}"
        return f"evaluate_{fetched}"
    return "evaluate"

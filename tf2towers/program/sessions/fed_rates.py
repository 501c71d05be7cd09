"""Learning rates that are fed."""

from __future__ import annotations

from tf2towers.program.statements.value_kinds import OPTIMIZER, PLACEHOLDER, SCHEDULE
from tf2towers.program.training import Training


def read_fed_rates(training: Training) -> None:
    """Learning rates that a placeholder gives.

    An optimizer is made once and outlives a call, so it takes its rate from a function without parameters.
    """
    placeholders = {
        placeholder.names[0]: placeholder
        for placeholder in training.inputs
        if placeholder.kind == PLACEHOLDER
    }
    for statement in training.single:
        if statement.detail == OPTIMIZER:
            for name in sorted(statement.flow.reads & set(placeholders)):
                training.fed_rates.append(placeholders[name])
                training.value_kinds.names[name] = SCHEDULE

"""The original's first weights, in a TF2 program that then trains by itself: for `tf2towers compare`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tf2towers.verify.functions.gradients import Applied
from tf2towers.verify.functions.state import State
from tf2towers.verify.recording import FirstVariables, read_facts


class FirstWeights:
    """To be made before the program makes variables, and asked when its training function has been traced.

    Args:
        original: the folder of the original's recording, of at least one step; None: the program keeps its weights.
    """

    def __init__(self, original: Path | None) -> None:
        self._original = original
        self._state, self._applied = State(), Applied()

    def steps_made(self) -> int:
        """What the program's counters of steps say before its first step: more than 0 where it read a checkpoint."""
        counted = [getattr(optimizer, "iterations", None) for optimizer in self._applied.optimizers]
        return max((int(_number(counter)) for counter in counted if counter is not None), default=0)

    def give(self) -> tuple[list[str], list[str]]:
        """Sets every variable that is found to what it was before the original's first step: slots and counters too.

        Returns:
            The original's trainable variables by name: those that were found, and those that were not.
        """
        if self._original is None:
            return [], []
        variables, trainable = FirstVariables(self._original), read_facts(self._original).trainable
        self._find_variables(variables, trainable)
        self._state.set(variables)
        found = self._state.names
        return [name for name in trainable if name in found], [
            name for name in trainable if name not in found
        ]

    def _find_variables(self, original: Mapping[str, np.ndarray], trainable: list[str]) -> None:
        self._state.find_variables(original, trainable, self._applied.variables, self._applied.optimizers)


def _number(counter: Any) -> Any:
    return counter.numpy() if hasattr(counter, "numpy") else counter

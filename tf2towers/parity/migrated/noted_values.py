"""What the ops that a recorder puts beside a training step tell it, while the step runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tf2towers.parity.migrated.python_operations import python_op


class Notes:
    """The arrays of the training step that is under way; nothing is kept of other calls.

    Keys are those of a recording's step file, as 'loss|0'. What several replicas note under one key is added up.
    """

    def __init__(self) -> None:
        self._now: dict[str, list[np.ndarray]] | None = None

    def begin(self) -> None:
        """A training step begins."""
        self._now = {}

    def end(self) -> dict[str, np.ndarray]:
        """The step's arrays."""
        found, self._now = self._now or {}, None
        return {key: _total(values) for key, values in found.items()}

    def op(self, keys: Sequence[str], tensors: Sequence[Any], change: Callable[[Any], Any] = np.array) -> Any:
        """An op that notes the values of tensors, each under its key."""

        def note(*values: Any) -> None:
            now = self._now
            if now is not None:
                for key, value in zip(keys, values, strict=True):
                    now.setdefault(key, []).append(change(value))

        return python_op(note, tensors, [])


def _total(values: list[np.ndarray]) -> np.ndarray:
    total = values[0]
    for value in values[1:]:  # an optimizer sums what its replicas give it
        total = total + value
    return total

"""What a training step leaves behind, and the recorder that a trainer's hooks fill.

A `Step` crosses a pipe from the trainer's process, one at a time, so a long run is never in memory as a whole.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, BinaryIO

import numpy as np

Arrays = dict[str, np.ndarray]


@dataclass
class Step:
    """One training step.

    Attributes:
        losses: each tower's loss, in tower order.
        gradients: by TF1 variable name, what reached `apply_gradients`: averaged, and clipped where the program clips.
        state: every variable after the step by its TF1 name: weights, optimizer slots, moving averages, statistics.
    """

    losses: list[np.ndarray] = field(default_factory=list)
    gradients: Arrays = field(default_factory=dict)
    state: Arrays = field(default_factory=dict)

    @property
    def mean_loss(self) -> float:
        """The mean over the towers, for people and pictures."""
        return float(np.mean([np.sum(loss) for loss in self.losses])) if self.losses else float("nan")


class Recorder:
    """Collects a step while ops run it, on whatever threads, and writes it out when its run is over."""

    def __init__(self, out: BinaryIO) -> None:
        self._out = out
        self._losses: dict[int, np.ndarray] = {}
        self._gradients: Arrays = {}
        self.pending = False

    def loss(self, tower: int, value: Any) -> None:
        """Called by an op: this tower's loss in the step being run."""
        self._losses[tower] = np.array(value)
        self.pending = True

    def gradients(self, names: Sequence[str]) -> Callable[..., None]:
        """A function for an op to call with the gradients of `names`, in that order."""

        def keep(*values: Any) -> None:
            self._gradients = {name: np.array(value) for name, value in zip(names, values, strict=True)}
            self.pending = True

        return keep

    def finish(self, state: Arrays) -> None:
        """The step has run and left this state."""
        losses = [self._losses[tower] for tower in sorted(self._losses)]
        self.send(Step(losses, self._gradients, state))
        self._losses, self._gradients, self.pending = {}, {}, False

    def send(self, message: object) -> None:
        """Writes one message to the parent."""
        pickle.dump(message, self._out, protocol=pickle.HIGHEST_PROTOCOL)
        self._out.flush()

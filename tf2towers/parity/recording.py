"""What a run of a trainer leaves behind: per training step, its gradients, its towers' losses, its variables."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

Arrays = dict[str, np.ndarray]


@dataclass
class Step:
    """One training step.

    `variables` are the values before it, by TF1 name: weights, optimizer slots, moving averages, batch-norm statistics
    (none before a migrated program's first step, which makes them). `gradients` are what the optimizer applied, by
    variable; `losses` one value a tower, in tower order.
    """

    variables: Arrays = field(default_factory=dict)
    gradients: Arrays = field(default_factory=dict)
    losses: list[np.ndarray] = field(default_factory=list)


@dataclass
class Recording:
    """Every training step of a run, and the variables at its end."""

    steps: list[Step] = field(default_factory=list)
    final: Arrays = field(default_factory=dict)

    def save(self, path: Path) -> None:
        """Writes everything to one .npz file."""
        flat: Arrays = {f"final|{name}": value for name, value in self.final.items()}
        for place, step in enumerate(self.steps):
            flat.update({f"{place}|variable|{name}": value for name, value in step.variables.items()})
            flat.update({f"{place}|gradient|{name}": value for name, value in step.gradients.items()})
            flat.update({f"{place}|loss|{tower}": value for tower, value in enumerate(step.losses)})
        np.savez(path, **flat)  # type: ignore[arg-type]

    @classmethod
    def load(cls, path: Path) -> Recording:
        """Reads what `save` wrote.

        Raises:
            FileNotFoundError: the run left no recording.
        """
        recording = cls()
        with np.load(path) as flat:
            for key in flat.files:
                head, _, rest = key.partition("|")
                if head == "final":
                    recording.final[rest] = flat[key]
                    continue
                while len(recording.steps) <= int(head):
                    recording.steps.append(Step())
                step, (kind, _, name) = recording.steps[int(head)], rest.partition("|")
                if kind == "variable":
                    step.variables[name] = flat[key]
                elif kind == "gradient":
                    step.gradients[name] = flat[key]
                else:
                    step.losses.append(flat[key])
        return recording

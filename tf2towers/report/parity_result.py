"""The result of comparing two runs: gradients, variables, the first difference, its cause."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

#: in the order in which a training step computes them
Kind = Literal["input", "loss", "tower gradient", "gradient", "variable", "fetched", "summary"]


@dataclass(frozen=True)
class Comparison:
    """How far one value, such as a gradient or a variable, differs over all steps.

    Attributes:
        problem: why it could not be compared ('only in the original', 'shape [3] against [4]',
            'None in the migrated run', ..), which counts as a failure. Empty where it was compared.
        bitwise: whether every bit of every step is equal.
        first_step: the first step (from 0) at which the value differs.
        max_rel: the largest over all steps of the greatest difference divided by the largest
            element; the smallest tolerance that would pass.
        within: whether the difference is within the given tolerance, or rounding.
        differences: the relative differences by step, without zeros; infinite where it could not be
            compared.
        rounding: whether it exceeds the tolerance, but not what rounding makes of it
            (see `tf2towers.verify.calls.rounding`).
    """

    kind: Kind
    name: str
    problem: str = ""
    bitwise: bool = True
    within: bool = True
    first_step: int | None = None
    max_rel: float = 0.0
    shape: tuple[int, ...] = ()
    dtype: str = ""
    rounding: bool = False
    differences: dict[int, float] = field(default_factory=dict, repr=False)


@dataclass(frozen=True)
class Diagnosis:
    """A mistake in the migrated script that explains a difference.

    Attributes:
        name: the mistake's short name, such as 'sum for mean' (see `tf2towers.verify.diagnose`).
        message: one or two sentences: the mistake, and the numbers that show it.
        todo: what to change in the migrated script.
        step: the first step (from 0) whose numbers show the mistake.
    """

    name: str
    message: str
    todo: str = ""
    step: int = 0


@dataclass(frozen=True)
class Place:
    """A line of a script, or of a module beside it.

    Attributes:
        file: the path, relative to the script's folder.
    """

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}" if self.line else "no line of the script"


@dataclass
class Side:
    """One of the two runs."""

    title: str  # 'original' or 'migrated'
    script: Path
    tensorflow: str = ""
    python: str = ""
    seconds: float = 0.0  # of the whole process
    notes: list[str] = field(default_factory=list)
    #: the code cells of a notebook: by title, 'train.ipynb, cell 3', the text
    cells: dict[str, str] = field(default_factory=dict, repr=False)


Outcome = Literal["bitwise", "within", "differs", "unrepeatable", "error"]


@dataclass
class ParityResult:
    """The verdict on a pair of scripts.

    Attributes:
        outcome: 'bitwise': every bit equal. 'within': all within `tolerance`, or rounding.
            'differs'. 'unrepeatable': one of the scripts differs from itself from run to run.
            'error': could not be run or compared. Of these two `error` says why.
        first_places: the lines of both scripts that made the session call `first_step`; empty where
            none is known.
        first_gradient: the variable nearest to the loss whose gradient differs in step
            `first_step`; empty where no gradient differs.
        calls: the number of session calls compared, where both programs make the same calls. A
            comparison's step is then the number of a call, and `steps` is the number of calls that
            train. 0: training steps were compared.
    """

    original: Side
    migrated: Side
    arguments: list[str] = field(default_factory=list)
    steps: int = 0
    towers: int = 1
    tolerance: float = 0.0
    outcome: Outcome = "bitwise"
    error: str = ""
    comparisons: list[Comparison] = field(default_factory=list)
    diagnoses: list[Diagnosis] = field(default_factory=list)
    first_step: int | None = None
    first_places: list[Place] = field(default_factory=list)
    first_gradient: str = ""
    notes: list[str] = field(default_factory=list)
    seconds: float = 0.0
    calls: int = 0

    @property
    def is_across_versions(self) -> bool:
        """True if the two scripts ran on different versions of TensorFlow."""
        return self.original.tensorflow != self.migrated.tensorflow

    @property
    def status(self) -> int:
        """The exit status: 0 parity, 1 differs, 2 could not be run, or nothing can be said."""
        return {"bitwise": 0, "within": 0, "differs": 1, "unrepeatable": 2, "error": 2}[self.outcome]

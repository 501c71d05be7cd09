"""What came of comparing two runs: each gradient and variable by name, what differs first, and why."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

#: in the order of a step
Kind = Literal["input", "loss", "tower gradient", "gradient", "variable", "fetched", "summary"]


@dataclass(frozen=True)
class Comparison:
    """How far one thing is apart over all steps.

    Attributes:
        problem: why it could not be compared ('only in the original', 'shape [3] against [4]', 'None in the migrated
            run', ..): a failure. Empty where it was.
        bitwise: every bit of every step.
        first_step: the first step (from 0) at which it differs.
        max_rel: the largest of any step's greatest difference by its largest element. It is also the smallest
            tolerance that would pass.
        within: it is within the tolerance that was asked for, or rounding.
        rounding: it is not within the tolerance, but of a gradient that is 0 in exact arithmetic
            (see `tf2towers.verify.noise`).
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


@dataclass(frozen=True)
class Diagnosis:
    """A cause that explains what differs.

    Attributes:
        name: the mistake's short name, as 'sum for mean' (see `tf2towers.verify.diagnose`).
        message: one or two sentences: what it is, and what in the numbers shows it.
        todo: what to change in the migrated script.
        step: the first step (from 0) at which it shows.
        confidence: from 0 to 1: the part of what it should explain that it does explain.
    """

    name: str
    message: str
    todo: str = ""
    step: int = 0
    confidence: float = 1.0


@dataclass
class Side:
    """One of the two runs."""

    title: str  # 'original' or 'migrated'
    script: Path
    text: str = ""
    tensorflow: str = ""
    python: str = ""
    seconds: float = 0.0  # the whole process
    notes: list[str] = field(default_factory=list)


Outcome = Literal["bitwise", "within", "differs", "unrepeatable", "error"]


@dataclass
class ParityResult:
    """The verdict on a pair of scripts.

    Attributes:
        outcome: 'bitwise': every bit equal. 'within': all within `tolerance`, or rounding. 'differs'. 'unrepeatable':
            the original differs from itself from run to run. 'error': could not be run or compared. Of these two
            `error` says why.
        first_gradient: the variable nearest to the loss whose gradient differs in the step `first_step`; empty where
            none does.
        calls: so many session calls were compared, of two programs that make the same ones; a step of a comparison is
            then the number of a call, and `steps` says how many train. 0: training steps were compared.
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
    first_gradient: str = ""
    notes: list[str] = field(default_factory=list)
    seconds: float = 0.0
    calls: int = 0

    @property
    def is_across_versions(self) -> bool:
        """Whether the two ran on different TensorFlows."""
        return self.original.tensorflow != self.migrated.tensorflow

    @property
    def status(self) -> int:
        """The exit status: 0 parity, 1 differs, 2 could not be run, or nothing can be said."""
        return {"bitwise": 0, "within": 0, "differs": 1, "unrepeatable": 2, "error": 2}[self.outcome]

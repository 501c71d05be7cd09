"""What a recogniser of one mistake is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from tf2towers.parity.diagnose.evidence import Evidence
from tf2towers.report.parity_result import Diagnosis

#: the links of a step's chain, in its order: one broken link is one diagnosis
Link = Literal[
    "inputs", "trained", "gradients", "forward", "counter", "update", "statistics", "moving average"
]


@dataclass(frozen=True)
class Mistake:
    """A mistake, or a family of them told apart by the same numbers.

    Attributes:
        names: those that its diagnoses may have.
        link: where in a step it is made.
        recognise: the diagnosis, or None where the numbers do not show it.
    """

    names: tuple[str, ...]
    link: Link
    recognise: Callable[[Evidence], Diagnosis | None]

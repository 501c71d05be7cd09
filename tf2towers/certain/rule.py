"""A rule of certainty: what it doubts in a program, why, and what to write instead."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from tf2towers.exact.rule import Example
from tf2towers.report import rule
from tf2towers.report.rule import Does

if TYPE_CHECKING:
    from tf2towers.certain.building import Building
    from tf2towers.exact.file import File


@dataclass(frozen=True)
class Doubt:
    """A place, and what is not certain there."""

    file: File
    node: ast.AST
    message: str


@dataclass(frozen=True, kw_only=True)
class Rule(rule.Rule):
    """One rule. `doubtful` and `certain` are lines of a trainer (`tests/certain/trainer.py`) that it doubts, and not.

    Each of them is `part: lines`: what takes the place of that part of the trainer. `; ` stands between two lines.
    """

    package: ClassVar[str] = "tf2towers.certain.rules"

    doubts: Callable[[Building], Iterable[Doubt]]
    doubtful: tuple[str, ...] = ()
    certain: tuple[str, ...] = ()

    @property
    def does(self) -> Does:
        """It tells of what it doubts; the exact form is written."""
        return "reports"

    @property
    def examples(self) -> list[Example]:
        """Programs that it doubts, to be shown by `tf2towers explain`."""
        return [
            Example(
                "the exact form is written for",
                "\n".join(filter(None, (line.partition(": ")[2] for line in replacement.split("\n")))),
            )
            for replacement in self.doubtful
        ]

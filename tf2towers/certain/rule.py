"""A rule of certainty: what it doubts in a program, why, and what to write instead."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tf2towers.certain.building import Building
    from tf2towers.exact.file import File


@dataclass(frozen=True)
class Doubt:
    """A place, and what is not certain there."""

    file: File
    node: ast.AST
    message: str


@dataclass(frozen=True)
class Rule:
    """One rule. `doubtful` and `certain` are lines of a trainer (`tests/certain/trainer.py`) that it doubts, and not.

    Each of them is `part: lines`: what takes the place of that part of the trainer.
    """

    code: str
    title: str
    why: str
    todo: str
    doubts: Callable[[Building], Iterable[Doubt]]
    doubtful: tuple[str, ...] = ()
    certain: tuple[str, ...] = ()

"""A rule of the exact register: one small rewrite, or one reason to leave a site, with examples."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from tf2towers.report import rule
from tf2towers.report.rule import Does

if TYPE_CHECKING:
    from tf2towers.exact.edits import Edit
    from tf2towers.exact.file import File


@dataclass(frozen=True)
class Example:
    """A script, and what the whole migration makes of it; `after` is None where it stays as it is.

    `left` says that a site of it is reported by the rule and left.
    """

    title: str
    before: str
    after: str | None = None
    left: bool = False


@dataclass(frozen=True, kw_only=True)
class Rule(rule.Rule):
    """One rule. `edits` gives its edits of a file, and notes there what is left; `notes` only notes."""

    package: ClassVar[str] = "tf2towers.exact.rules"

    edits: Callable[[File], Iterable[Edit]] | None = None
    notes: Callable[[File], None] | None = None
    does: Does = "changes"
    examples: tuple[Example, ...] = ()

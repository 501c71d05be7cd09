"""A rule of the codemod: one small rewrite, or one reason to leave a site, with examples; and all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from textwrap import dedent
from typing import TYPE_CHECKING, ClassVar, Literal

from tf2towers.report import rule
from tf2towers.report.rule import Does, Registry

if TYPE_CHECKING:
    from tf2towers.codemod.changes import Change
    from tf2towers.codemod.program import File

#: what a program is: one of TF1; one that turns eager execution on; one that was migrated; any other
ProgramKind = Literal["tf1", "eager", "migrated", "other"]


@dataclass(frozen=True)
class Example:
    """A script, and what the whole migration makes of it; `after` is None where it stays as it is.

    A text that begins with a new line is a block: it begins after that, and loses its indentation.

    `left` says that a site of it is reported by the rule and left.
    """

    title: str
    before: str
    after: str | None = None
    left: bool = False

    def __post_init__(self) -> None:
        for name, text in (("before", self.before), ("after", self.after)):
            if text is not None and text.startswith("\n"):
                object.__setattr__(self, name, dedent(text[1:]))


@dataclass(frozen=True, kw_only=True)
class Rule(rule.Rule):
    """One rule. `changes` gives its changes of a file, and notes there what is left; `notes` only notes.

    Attributes:
        programs: what it is for.
        modules: whether it is for local modules without TensorFlow, too.
    """

    package: ClassVar[str] = "tf2towers.codemod.rules"

    changes: Callable[[File], Iterable[Change]] | None = None
    notes: Callable[[File], None] | None = None
    programs: frozenset[ProgramKind] = frozenset({"tf1"})
    modules: bool = False
    does: Does = "changes"
    examples: tuple[Example, ...] = ()


REGISTRY = Registry(Rule)

rules, codes, rule_of, todo_of = REGISTRY.rules, REGISTRY.codes, REGISTRY.rule_of, REGISTRY.todo_of


def name_of(code: str) -> str:
    """The name of the rule with a code; empty where there is none."""
    rule = rule_of(code)
    return rule.name if rule is not None else ""


def title_of(code: str) -> str:
    """The title of the rule with a code; empty where there is none."""
    rule = rule_of(code)
    return rule.title if rule is not None else ""

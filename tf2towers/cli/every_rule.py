"""The rules of both registers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Example(Protocol):
    """What is shown of an example."""

    @property
    def title(self) -> str:
        """What it shows."""

    @property
    def before(self) -> str:
        """The code before."""

    @property
    def after(self) -> str | None:
        """The code after; None where it is left."""


class Rule(Protocol):
    """What is shown of a rule."""

    @property
    def code(self) -> str:
        """Its code."""

    @property
    def title(self) -> str:
        """What it does."""

    @property
    def why(self) -> str:
        """The reason."""

    @property
    def todo(self) -> str:
        """What to do by hand."""

    @property
    def safe(self) -> bool:
        """Whether the result is the same bit for bit."""

    @property
    def sources(self) -> Sequence[str]:
        """What it rests on."""

    @property
    def examples(self) -> Sequence[Example]:
        """Its examples."""


def every_rule() -> list[Rule]:
    """Every rule of the exact and of the idiomatic register, in the order of the codes."""
    from tf2towers.exact import registry as exact
    from tf2towers.rewrites import registry as idiomatic

    return sorted([*idiomatic.rules(), *exact.rules()], key=lambda rule: rule.code)

"""A rule as it is shown: in `explain`, in docs/rules.md and beside a finding in SARIF."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Literal, Protocol

#: "changes": it edits; "reports": it tells of something that the edits keep or do otherwise; "refuses": sites are left
Does = Literal["changes", "reports", "refuses"]


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
    def name(self) -> str:
        """A short name for programs, as TowerLoop."""

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
    def does(self) -> Does:
        """Whether it changes, reports or refuses."""

    @property
    def safe(self) -> bool:
        """Whether the result is the same bit for bit."""

    @property
    def sources(self) -> Sequence[str]:
        """What it rests on."""

    @property
    def examples(self) -> Sequence[Example]:
        """Its examples."""


def kind(rule: Rule) -> str:
    """What a rule does, in a sentence."""
    if rule.does == "refuses":
        return "refuses: it changes nothing; such a site is left as it is, and the status is 1"
    if rule.does == "reports":
        may = "; look at it: a number may differ, see below" if not rule.safe else ""
        return f"reports: it changes nothing by itself{may}"
    if rule.safe:
        return "changes, safe: the result is the same bit for bit"
    return "changes, look at it: the result may differ, see below"


def explanation(rule: Rule) -> str:
    """A rule as text."""
    parts = [f"{rule.code} {rule.title}", f"({kind(rule)})", "", filled(rule.why)]
    if rule.todo:
        parts += ["", "To do:", textwrap.indent(filled(rule.todo), "  ")]
    for example in rule.examples:
        if example.after is None:
            parts += ["", "Left as it is:", _block(example.before)]
        else:
            parts += ["", "Before:", _block(example.before), "", "After:", _block(example.after)]
    return "\n".join(parts) + "\n"


def markdown(rule: Rule) -> str:
    """What stands below a rule's heading in docs/rules.md."""
    text = [f"*{kind(rule)}*\n", paragraphs(rule.why) + "\n"]
    if rule.todo:
        text.append(f"**To do:** {paragraphs(rule.todo)}\n")
    text += map(_example, rule.examples)
    if rule.sources:
        text.append(f"Rests on: {', '.join(rule.sources)}.\n")
    return "\n".join(text)


def anchor(rule: Rule) -> str:
    """The anchor of a rule in docs/rules.md."""
    return rule.code.lower()


def filled(text: str) -> str:
    """Paragraphs wrapped for a terminal; lines that are indented stay as they are."""
    found = _paragraphs(text)
    return "\n\n".join(part if part.startswith(" ") else textwrap.fill(part, 88) for part in found)


def paragraphs(text: str) -> str:
    """Paragraphs of one line each; lines that are indented stay as they are."""
    return "\n\n".join(_paragraphs(text))


def _paragraphs(text: str) -> list[str]:
    found = textwrap.dedent(text).strip("\n").split("\n\n")
    return [paragraph if paragraph.startswith(" ") else " ".join(paragraph.split()) for paragraph in found]


def _block(code: str) -> str:
    return textwrap.indent(textwrap.dedent(code).strip("\n"), "    ")


def _example(example: Example) -> str:
    title = example.title[0].upper() + example.title[1:]
    shown = f"{title}:\n\n```python\n{example.before.strip()}\n```\n"
    if example.after is not None:
        shown += f"\nbecomes\n\n```python\n{example.after.strip()}\n```\n"
    return shown

"""A rule: its fields, its registry, and its text for `explain`, docs/rules.md and SARIF."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from functools import cache
from importlib import import_module, resources
from typing import Any, ClassVar, Generic, Literal, TypeVar

#: "changes": it edits; "reports": it reports what the edits keep or do otherwise; "refuses": sites are left
Does = Literal["changes", "reports", "refuses"]

#: `explain` adds examples after the first only within this number of lines
_SCREEN = 45


@dataclass(frozen=True, kw_only=True)
class Rule:
    """The fields of a rule. `todo` says what to do by hand; `safe`, that the result is the same bit for bit.

    Attributes:
        sources: the symbols of TensorFlow, issues and other sources that the rule is based on.
        does: whether it changes, reports or refuses.
        examples: each with a `title`, the code `before` and `after`; `after` is None where the code is left as it is.
    """

    #: the package that holds the rules, one file for each
    package: ClassVar[str]

    code: str
    title: str
    why: str
    todo: str = ""
    safe: bool = True
    sources: tuple[str, ...] = ()
    does: Does = "changes"
    examples: tuple[Any, ...] = ()

    @property
    def name(self) -> str:
        """The short name, taken from the file name: tower-loop for t2t605_tower_loop.py."""
        return "-".join(modules_of(self.package)[self.code].split("_")[1:])


@cache
def modules_of(package: str) -> dict[str, str]:
    """The module of each rule in a package, by code: T2T605 is `RULE` in t2t605_tower_loop.py."""
    files = (file.name for file in resources.files(package).iterdir())
    names = (name.removesuffix(".py") for name in files if name.startswith("t2t") and name.endswith(".py"))
    return {name.partition("_")[0].upper(): name for name in sorted(names)}


AnyRule = TypeVar("AnyRule", bound=Rule)


class Registry(Generic[AnyRule]):
    """The rules of a package. A rule's module is imported when it is requested."""

    def __init__(self, kind: type[AnyRule]) -> None:
        self._package = kind.package

    def rules(self) -> list[AnyRule]:
        """Every rule, in the order of the codes."""
        return [rule for code in self.codes() if (rule := self.rule_of(code)) is not None]

    def codes(self) -> list[str]:
        """The code of every rule, in order, without importing any rule."""
        return list(modules_of(self._package))

    def rule_of(self, code: str) -> AnyRule | None:
        """The rule with this code; None where there is none."""
        module = modules_of(self._package).get(code)
        found: AnyRule | None = None if module is None else import_module(f"{self._package}.{module}").RULE
        return found

    def todo_of(self, code: str) -> str:
        """The advice on a finding; empty for a rule without one, and for an unknown code."""
        found = self.rule_of(code)
        return " ".join(found.todo.split()) if found is not None else ""


def effect_words(rule: Rule) -> str:
    """A sentence on the effect of a rule."""
    if rule.does == "refuses":
        return "refuses: it changes nothing; such a site is left as it is, and the status is 1"
    if rule.does == "reports":
        may = "" if rule.safe else "; look at it: a number may differ, see below"
        return f"reports: it changes nothing by itself{may}"
    safe = "safe: the result is the same bit for bit"
    return f"changes, {safe if rule.safe else 'look at it: the result may differ, see below'}"


def explain(rule: Rule, *, every_example: bool = False) -> str:
    """A rule as text of at most one screen: the first example, and further ones that fit; or all of them."""
    lines = [f"{rule.code} {rule.name}: {rule.title}", f"({effect_words(rule)})", ""]
    lines += wrap_paragraphs(rule.why).splitlines()
    if rule.todo:
        lines += ["", "To do:", *textwrap.indent(wrap_paragraphs(rule.todo), "  ").splitlines()]
    omitted = 0
    for number, shown in enumerate(map(_example_lines, rule.examples)):
        if number and len(lines) + len(shown) > _SCREEN and not every_example:
            omitted += 1
        else:
            lines += shown
    if omitted:
        more = f"{omitted} more example{'s' if omitted > 1 else ''}"
        lines += ["", f"{more}: tf2towers explain {rule.code} --examples"]
    return "\n".join(lines) + "\n"


def _example_lines(example: Any) -> list[str]:
    """The lines of an example for `explain`; each part follows an empty line."""
    parts = {"Before": example.before, "After": example.after}
    if example.after is None:
        parts = {"Left as it is": example.before}
    lines = []
    for title, code in parts.items():
        indented = textwrap.indent(textwrap.dedent(code).strip("\n"), "    ")
        lines += ["", f"{title}:", *indented.splitlines()]
    return lines


def as_dict(rule: Rule) -> dict[str, object]:
    """The fields of a rule for `rules --output-format json`."""
    fields = {name: getattr(rule, name) for name in ("code", "name", "title", "does", "safe")}
    texts = {"why": wrap_paragraphs(rule.why), "todo": wrap_paragraphs(rule.todo)}
    return fields | texts | {"sources": list(rule.sources)}


def markdown(rule: Rule) -> str:
    """The text below a rule's heading in docs/rules.md."""
    text = [f"*{effect_words(rule)}*\n", paragraphs(rule.why) + "\n"]
    if rule.todo:
        text.append(f"**To do:** {paragraphs(rule.todo)}\n")
    text += map(_example, rule.examples)
    if rule.sources:
        text.append(f"Rests on: {', '.join(rule.sources)}.\n")
    return "\n".join(text)


def wrap_paragraphs(text: str) -> str:
    """Wraps paragraphs for a terminal; indented lines stay as they are."""
    found = paragraphs(text).split("\n\n")
    return "\n\n".join(part if part.startswith(" ") else textwrap.fill(part, 88) for part in found)


def paragraphs(text: str) -> str:
    """Joins the lines of each paragraph; indented lines stay as they are."""
    found = textwrap.dedent(text).strip("\n").split("\n\n")
    return "\n\n".join(part if part.startswith(" ") else " ".join(part.split()) for part in found)


def _example(example: Any) -> str:
    title = example.title[0].upper() + example.title[1:]
    shown = f"{title}:\n\n```python\n{example.before.strip()}\n```\n"
    if example.after is not None:
        shown += f"\nbecomes\n\n```python\n{example.after.strip()}\n```\n"
    return shown

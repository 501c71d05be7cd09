"""A rule: its data, and its text for `explain`, docs/rules.md and SARIF."""

from __future__ import annotations

import inspect
import textwrap
from typing import Any, ClassVar, Literal

#: "changes": it edits; "reports": it reports what the edits keep or do otherwise; "refuses": sites
#: are left
Does = Literal["changes", "reports", "refuses"]

#: characters in a line of `explain`, on a terminal that has them
WIDTH = 88
#: `explain` adds examples after the first only within this number of lines
_SCREEN = 45


class Rule:
    """A rule is a subclass; its docstring is the title, and why there is the rule.

    Attributes:
        code: the beginning of its module's name: T2T605 of t2t605_tower_loop.
        name: the rest of that name: tower-loop.
        todo: what to do by hand.
        safe: whether the result is the same bit for bit.
        sources: the symbols of TensorFlow, issues and other sources that the rule is based on.
        does: whether it changes, reports or refuses.
        examples: each with a `title`, the code `before` and `after`; `after` is None where the rule
            changes nothing.
    """

    code: ClassVar[str]
    name: ClassVar[str]
    title: ClassVar[str]
    why: ClassVar[str]
    todo: ClassVar[str] = ""
    safe: ClassVar[bool] = True
    sources: ClassVar[tuple[str, ...]] = ()
    does: ClassVar[Does] = "changes"
    examples: ClassVar[tuple[Any, ...]] = ()

    def __init_subclass__(cls) -> None:
        """Takes code and name from the module's, title and reason from the docstring."""
        code, *words = cls.__module__.rpartition(".")[2].split("_")
        cls.code, cls.name = code.upper(), "-".join(words)
        cls.title, _, cls.why = inspect.cleandoc(cls.__doc__ or "").partition("\n")


def effect_words(rule: type[Rule]) -> str:
    """A sentence on the effect of a rule."""
    if rule.does == "refuses":
        return "refuses: it changes nothing; such a place is left as it is, and the status is 1"
    if rule.does == "reports":
        may = "" if rule.safe else "; look at it: a number may differ, see below"
        return f"reports: it changes nothing by itself{may}"
    safe = "safe: the result is the same bit for bit"
    return f"changes, {safe if rule.safe else 'look at it: the result may differ, see below'}"


def explain(rule: type[Rule], *, every_example: bool = False, width: int = WIDTH) -> str:
    """A rule as text of at most one screen: the examples that fit, or all of them.

    Args:
        every_example: whether all examples are wanted.
        width: of its paragraphs, in characters; the code of examples stays as it is.
    """
    lines = textwrap.wrap(f"{rule.code} {rule.name}: {rule.title}", width)
    lines += [*textwrap.wrap(f"({effect_words(rule)})", width), ""]
    lines += wrap_paragraphs(rule.why, width).splitlines()
    if rule.todo:
        todo = textwrap.indent(wrap_paragraphs(rule.todo, width - 2), "  ")
        lines += ["", "To do:", *todo.splitlines()]
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
        parts = {"Left as it is" if example.left else "No change by this rule": example.before}
    lines = []
    for title, code in parts.items():
        indented = textwrap.indent(textwrap.dedent(code).strip("\n"), "    ")
        lines += ["", f"{title}:", *indented.splitlines()]
    return lines


def as_dict(rule: type[Rule]) -> dict[str, object]:
    """The fields of a rule for `rules --output-format json`."""
    fields = {name: getattr(rule, name) for name in ("code", "name", "title", "does", "safe")}
    texts = {"why": wrap_paragraphs(rule.why), "todo": wrap_paragraphs(rule.todo)}
    return fields | texts | {"sources": list(rule.sources)}


def markdown(rule: type[Rule]) -> str:
    """The text below a rule's heading in docs/rules.md."""
    text = [f"*{effect_words(rule)}*\n", paragraphs(rule.why) + "\n"]
    if rule.todo:
        text.append(f"**To do:** {paragraphs(rule.todo)}\n")
    text += map(_example, rule.examples)
    if rule.sources:
        text.append(f"Rests on: {', '.join(rule.sources)}.\n")
    return "\n".join(text)


def wrap_paragraphs(text: str, width: int = WIDTH) -> str:
    """Wraps paragraphs for a terminal; indented lines stay as they are."""
    found = paragraphs(text).split("\n\n")
    return "\n\n".join(part if part.startswith(" ") else textwrap.fill(part, width) for part in found)


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

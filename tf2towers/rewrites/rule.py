"""A rule: one thing `migrate` does, says or leaves, with the reason and examples."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from importlib import resources
from typing import ClassVar

from tf2towers.report import rule
from tf2towers.report.rule import Does

_GAP = "\n...\n"


@dataclass(frozen=True)
class Example:
    """Code before and after. It is a part of a whole script: the parts of `frame.txt` it replaces, by name.

    `after` is None where the site is left; else the lines that stand in the migrated script, '...' between places. A
    comment '# T2T303' at the end of a line of `parts` says that a site is left there; `codes` are the other findings.
    The part 'script' is a whole script.
    """

    name: str
    title: str
    parts: dict[str, str]
    after: str | None
    codes: tuple[str, ...] = ()
    options: dict[str, str] = field(default_factory=dict)  # other lines of the head, for the tests

    @property
    def before(self) -> str:
        """What to show: the parts, in the order of the script."""
        if "script" in self.parts:
            return self.parts["script"].strip("\n")
        shown = [self.parts[name].strip("\n") for name in frame() if self.parts.get(name, "").strip()]
        return _GAP.join(shown)

    @property
    def script(self) -> str:
        """The whole script of the example, before the rewrite."""
        if "script" in self.parts:
            return self.parts["script"]
        unknown = set(self.parts) - set(frame())
        if unknown:
            raise ValueError(f"example {self.name}: frame.txt has no part {', '.join(sorted(unknown))}")
        return "".join(
            _indented(self.parts[name], _indent(text)) if name in self.parts else text
            for name, text in frame().items()
        )


@dataclass(frozen=True, kw_only=True)
class Rule(rule.Rule):
    """One rule; what it does is done elsewhere, by who gives its code."""

    package: ClassVar[str] = "tf2towers.rewrites.rules"

    @property
    def does(self) -> Does:
        """Whether it changes, reports or refuses: the hundred of its code says it."""
        return {"1": "changes", "2": "reports"}.get(self.code[3], "refuses")  # type: ignore[return-value]

    @cached_property
    def examples(self) -> list[Example]:
        """Its examples, read from the text files beside the rules."""
        return examples_of(self.code)


def frame() -> dict[str, str]:
    """The script around the examples, part by part: name -> text."""
    parts: dict[str, str] = {}
    name = ""
    for line in _read("frame.txt").splitlines(keepends=True):
        if line.startswith("#@"):
            name = line[2:].strip()
            parts[name] = ""
        else:
            parts[name] += line
    return parts


def examples_of(code: str) -> list[Example]:
    """The examples in `examples/`, whose file names begin with the code."""
    folder = resources.files(Rule.package).joinpath("examples")
    names = sorted(file.name for file in folder.iterdir() if file.name.startswith(code.lower()))
    return [parse_example(name.removesuffix(".txt"), _read(f"examples/{name}")) for name in names]


def parse_example(name: str, text: str) -> Example:
    """An example from its file: 'title:' and 'codes:' lines, then sections headed '--- part', the last '--- after'."""
    head, *sections = text.split("\n--- ")
    fields = dict(line.split(":", 1) for line in head.splitlines() if ":" in line)
    parts: dict[str, str] = {}
    for section in sections:
        part, _, body = section.partition("\n")
        parts[part.strip()] = body.rstrip("\n") + "\n"
    after = parts.pop("after", None)
    title = fields.pop("title").strip()
    codes = tuple(fields.pop("codes", "").split())
    options = {key: value.strip() for key, value in fields.items()}
    return Example(name, title, parts, after.rstrip("\n") if after is not None else None, codes, options)


def _read(name: str) -> str:
    return resources.files(Rule.package).joinpath(name).read_text(encoding="utf-8")


def _indent(text: str) -> str:
    first = next((line for line in text.splitlines() if line.strip()), "")
    return first[: len(first) - len(first.lstrip())]


def _indented(text: str, indent: str) -> str:
    return "".join(indent + line if line.strip() else line for line in text.splitlines(keepends=True))

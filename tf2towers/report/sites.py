"""The findings of a script for people: few lines, each path once, each advice once; what is left out is counted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from tf2towers.report.paths import display_path
from tf2towers.report.result import Finding, MigrationResult

#: how many lines say what is left of a script, and how many what else there is to know
LEFT, NOTES = 10, 6
#: how many places of one message are written out
_PLACES = 4


def lines(
    result: MigrationResult,
    name_of: Callable[[str], str] = lambda code: "",
    *,
    all_sites: bool = False,
    notes: bool = True,
) -> Iterator[str]:
    """The lines below a script's summary. `all_sites`: however many there are; `notes`: what is not left, too."""
    reported = [finding for finding in result.findings if not finding.accepted_by]
    informed = [finding for finding in reported if finding.kind != "left"] if notes else []
    left = [finding for finding in reported if finding.kind == "left"]
    yield from _part(informed, result.script, None if all_sites else NOTES, name_of)
    if informed and left:
        yield "  left to be migrated by hand:"
    yield from _part(left, result.script, None if all_sites else LEFT, name_of)


def rule_words(code: str, name_of: Callable[[str], str]) -> str:
    """A rule's code and name, as findings show it."""
    return f"{code} {name}:" if (name := name_of(code)) else code


class _Message(NamedTuple):
    """What findings of one file say, and what is to be done about it."""

    path: Path
    code: str
    todo: str
    message: str


def _part(
    findings: list[Finding], script: Path, limit: int | None, name_of: Callable[[str], str]
) -> list[str]:
    """As many messages as fit into so many lines; None: all."""
    places: dict[_Message, list[str]] = {}
    for finding in sorted(findings, key=lambda found: (found.path != script, str(found.path), _place(found))):
        key = _Message(finding.path, finding.code, finding.todo, finding.message)
        places.setdefault(key, []).append(where(finding))
    counts = [len(places)] if limit is None else range(min(len(places), limit), 0, -1)
    for count in counts if places else ():
        chosen = _chosen(list(places), count)
        lines = list(_lines(places, chosen, script, limit is None, name_of))
        if limit is None or len(lines) <= limit:
            return lines
    return []


def _lines(
    places: dict[_Message, list[str]],
    shown: list[_Message],
    script: Path,
    every_place: bool,
    name_of: Callable[[str], str],
) -> Iterator[str]:
    left_out = {message: len(places[message]) for message in places if message not in set(shown)}
    heading, todos = script, {""}
    for number, message in enumerate(shown):
        if message.path != heading:
            heading = message.path
            yield f"  {display_path(heading)}:"
        of_message = places[message]
        if not every_place and len(of_message) > _PLACES:
            left_out[message] = len(of_message) - _PLACES
            of_message = [*of_message[:_PLACES], "..."]
        indent = "" if message.path == script else "  "
        yield f"  {indent}{', '.join(of_message)}: {rule_words(message.code, name_of)} {message.message}"
        rest = shown[number + 1 : number + 2]
        if message.todo not in todos and not (rest and rest[0][:3] == message[:3]):
            todos.add(message.todo)
            yield f"      to do: {message.todo}"
    if left_out:
        codes = ", ".join(sorted({message.code for message in left_out}))
        yield f"  and {sum(left_out.values())} more ({codes}): -v shows them"


def _chosen(messages: list[_Message], count: int) -> list[_Message]:
    """As many as are shown: of each file and code the first, then the others; those of one advice stand together."""
    blocks = list(dict.fromkeys(message[:3] for message in messages))
    first = [next(message for message in messages if message[:3] == block) for block in blocks]
    chosen = set([*first, *(message for message in messages if message not in first)][:count])
    return sorted(chosen, key=lambda message: (blocks.index(message[:3]), messages.index(message)))


def where(finding: Finding) -> str:
    """The location of a finding in its file."""
    cell = f"cell {finding.cell}:" if finding.cell is not None else ""
    return f"{cell}{finding.line}:{finding.column}"


def _place(finding: Finding) -> tuple[int, int, int]:
    return finding.cell or 0, finding.line, finding.column

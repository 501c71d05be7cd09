"""A result as text for a terminal: summary, notes, sites left, with -v edited lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from tf2towers.report.diff import rule_words
from tf2towers.report.paths import counted, display_path
from tf2towers.report.result import Finding, MigrationResult

#: precedes a line of the script that is quoted below a finding
QUOTE = "      | "


def lines(
    result: MigrationResult,
    name_of: Callable[[str], str] = lambda code: "",
    brief: bool = False,
    every: bool = False,
    advised: set[str] | None = None,
) -> Iterator[str]:
    """The lines of the report on a script, with line ends.

    Args:
        name_of: the name of the rule with a code.
        brief: whether to omit notes on a program without towers and servers; sites that are left
            are always shown.
        every: whether to show all sites without a limit, the edited lines, and the modules that are
            read and unchanged.
        advised: the advice that is printed already, which is not repeated; what is printed here is
            added.
    """
    yield f"{summary(result)}\n"
    notes = not (brief and result.remark)
    for line in site_lines(result, name_of, all_sites=every, notes=notes, advised=advised):
        yield f"{line}\n"
    for line in edit_lines(result, name_of) if every else ():
        yield f"{line}\n"
    for path in result.copied if every else ():
        yield f"  {display_path(path)}: read, unchanged\n"


def edit_lines(result: MigrationResult, name_of: Callable[[str], str]) -> Iterator[str]:
    """One line for each rule that edits a file: the numbers of the lines before the migration."""
    for change in result.changes:
        edited: dict[str, list[str]] = {}
        for edit in change.edited_lines():
            cell = f"cell {edit.cell}:" if edit.cell is not None else ""
            edited.setdefault(edit.code, []).append(f"{cell}{edit.line}")
        if edited:
            yield f"  edited lines of {display_path(change.path)}:"
        for code in sorted(edited):
            yield f"    {rule_words(code, name_of)}: {', '.join(edited[code])}"


def statistics(results: Iterable[MigrationResult], name_of: Callable[[str], str]) -> Iterator[str]:
    """One line for each rule: the lines it edits, its sites left, its notes."""
    counts: dict[str, list[int]] = {}
    for result in results:
        edits = [edit.code for change in result.changes for edit in change.edited_lines()]
        kinds = {"changed": 0, "edit": 0, "left": 1, "note": 2}
        found = [(finding.code, kinds[finding.kind]) for finding in result.findings]
        for code, column in (*((code, 0) for code in edits), *found):
            counts.setdefault(code, [0, 0, 0])[column] += 1
    if counts:
        yield "edited   left  notes  rule\n"
    for code, (edited, left, notes) in sorted(counts.items()):
        yield f"{edited:6} {left:6} {notes:6}  {rule_words(code, name_of)}\n"


def requirements(results: Iterable[MigrationResult]) -> Iterator[str]:
    """The lines of a requirements.txt that keep the scripts as they are; or empty."""
    lines = sorted({line for result in results for line in result.requirements})
    if lines:
        yield "for a requirements.txt, as the scripts use these libraries:\n"
        yield from (f"  {line}\n" for line in lines)


def summary(result: MigrationResult) -> str:
    """One line about a script."""
    name = display_path(result.script)
    if result.error is not None:
        return f"{name}: {result.error}"
    files = sum(change.before != change.after for change in result.changes)
    left = len(result.left)
    done = f"{counted(files, 'file')} to change" if files else "nothing to change"
    remark = f" ({result.remark})" if result.remark else ""
    yours = f"{counted(left, 'place')} left to you" if left else "nothing left to you"
    if result.left_above:
        yours += f" here; places left in {', '.join(map(display_path, result.left_above))}, reported above"
    return f"{name}: {done}, {yours}{accepted_words(result)}{remark}"


def accepted_words(result: MigrationResult) -> str:
    """The counts of accepted sites and hidden notes, with a leading comma; or empty."""
    words = ""
    if result.accepted:
        words += f", {len(result.accepted)} accepted by you ({_codes(result.accepted)})"
    if result.hidden:
        words += f", {counted(len(result.hidden), 'note')} hidden ({_codes(result.hidden)})"
    return words


def _codes(findings: Iterable[Finding]) -> str:
    return ", ".join(sorted({finding.code for finding in findings}))


def left_only(result: MigrationResult, name_of: Callable[[str], str]) -> str:
    """One line for each site that is left, with its file: the output of `--quiet`."""
    return "".join(
        f"{display_path(finding.path)}:{where(finding)}: {_labelled(finding.code, name_of)} {finding.message}\n"
        for finding in result.left
    )


# -- the findings in few lines: each path once, each advice once; omitted findings are counted -----

#: the largest number of lines about sites left, and of lines about other findings
LEFT, NOTES = 10, 6
#: the largest number of locations shown for one message
_PLACES = 4


def site_lines(
    result: MigrationResult,
    name_of: Callable[[str], str] = lambda code: "",
    *,
    all_sites: bool = False,
    notes: bool = True,
    advised: set[str] | None = None,
) -> Iterator[str]:
    """The lines below a script's summary.

    Args:
        name_of: the name of the rule with a code.
        all_sites: whether there is no limit.
        notes: whether findings that are not left to the user are shown, too.
        advised: as of `lines`.
    """
    advised = set() if advised is None else advised
    reported = [finding for finding in result.findings if not finding.accepted_by]
    informed = [finding for finding in reported if finding.kind != "left"] if notes else []
    left = [finding for finding in reported if finding.kind == "left"]
    yield from _part(informed, result.script, None if all_sites else NOTES, name_of, advised)
    if informed and left:
        yield "  left to you:"
    yield from _part(left, result.script, None if all_sites else LEFT, name_of, advised)


def _labelled(code: str, name_of: Callable[[str], str]) -> str:
    """A rule's code and name before a message."""
    return f"{code} {name}:" if (name := name_of(code)) else code


class _Message(NamedTuple):
    """The text that several findings of one file share: the message and the advice."""

    path: Path
    code: str
    todo: str
    message: str


def _part(
    findings: list[Finding],
    script: Path,
    limit: int | None,
    name_of: Callable[[str], str],
    advised: set[str],
) -> list[str]:
    """The lines of as many messages as fit `limit`; None: all. Quoted lines do not count."""
    places: dict[_Message, list[str]] = {}
    quoted: dict[_Message, str] = {}
    for finding in sorted(findings, key=lambda found: (found.path != script, str(found.path), _place(found))):
        key = _Message(finding.path, finding.code, finding.todo, finding.message)
        places.setdefault(key, []).append(where(finding))
        if finding.source not in finding.message:
            quoted.setdefault(key, finding.source)
    counts = [len(places)] if limit is None else range(min(len(places), limit), 0, -1)
    for count in counts if places else ():
        chosen = _chosen(list(places), count)
        known = set(advised)
        lines = list(_lines(places, chosen, script, limit is None, name_of, known, quoted))
        if limit is None or sum(not line.startswith(QUOTE) for line in lines) <= limit:
            advised |= known
            return lines
    return []


def _lines(
    places: dict[_Message, list[str]],
    shown: list[_Message],
    script: Path,
    every_place: bool,
    name_of: Callable[[str], str],
    advised: set[str],
    quoted: dict[_Message, str],
) -> Iterator[str]:
    left_out = {message: len(places[message]) for message in places if message not in set(shown)}
    heading = script
    for number, message in enumerate(shown):
        if message.path != heading:
            heading = message.path
            yield f"  {display_path(heading)}:"
        of_message = places[message]
        if not every_place and len(of_message) > _PLACES:
            left_out[message] = len(of_message) - _PLACES
            of_message = [*of_message[:_PLACES], "..."]
        indent = "" if message.path == script else "  "
        yield f"  {indent}{', '.join(of_message)}: {_labelled(message.code, name_of)} {message.message}"
        if quoted.get(message):
            yield f"{QUOTE}{quoted[message]}"
        rest = shown[number + 1 : number + 2]
        if message.todo and message.todo not in advised and not (rest and rest[0][:3] == message[:3]):
            advised.add(message.todo)
            yield f"      to do: {message.todo}"
    if left_out:
        codes = ", ".join(sorted({message.code for message in left_out}))
        yield f"  and {sum(left_out.values())} more ({codes}): -v shows them"


def _chosen(messages: list[_Message], count: int) -> list[_Message]:
    """Selects `count` messages: the first of each file, code and advice, then others."""
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

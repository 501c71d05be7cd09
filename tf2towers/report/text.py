"""A result as text for a terminal: the unified diff; a summary, the notes, and every site that is left."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from difflib import SequenceMatcher
from pathlib import Path
from typing import NamedTuple

from tf2towers.report.paths import counted, display_path
from tf2towers.report.result import FileChange, Finding, MigrationResult


def lines(
    result: MigrationResult,
    name_of: Callable[[str], str] = lambda code: "",
    brief: bool = False,
    every: bool = False,
) -> Iterator[str]:
    """The lines of the report on a script, with line ends.

    Args:
        name_of: the name of the rule with a code.
        brief: whether to omit notes on a program without towers and servers; sites that are left are always shown.
        every: whether to show all sites without a limit, and the modules that are read and unchanged.
    """
    yield f"{summary(result)}\n"
    for line in site_lines(result, name_of, all_sites=every, notes=not (brief and result.remark)):
        yield f"{line}\n"
    for path in result.copied if every else ():
        yield f"  {display_path(path)}: read, unchanged\n"


def summary(result: MigrationResult) -> str:
    """One line about a script."""
    name = display_path(result.script)
    if result.error is not None:
        return f"{name}: {result.error}"
    files = sum(change.before != change.after for change in result.changes)
    left = len(result.left)
    done = f"{counted(files, 'file')} to change" if files else "nothing to change"
    remark = f" ({result.remark})" if result.remark else ""
    by_hand = f"{counted(left, 'site')} left by hand" if left else "nothing left by hand"
    if result.left_above:
        by_hand += f" here; sites left in {', '.join(map(display_path, result.left_above))}, reported above"
    return f"{name}: {done}, {by_hand}{accepted_words(result)}{remark}"


def accepted_words(result: MigrationResult) -> str:
    """The counts of accepted sites and hidden notes, with a leading comma; empty where there are none."""
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
        f"{display_path(finding.path)}:{where(finding)}: {rule_words(finding.code, name_of)} {finding.message}\n"
        for finding in result.left
    )


# -- the findings in few lines: each path once, each advice once; omitted findings are counted -------------------------

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
) -> Iterator[str]:
    """The lines below a script's summary. `all_sites`: without a limit; `notes`: with the other findings."""
    reported = [finding for finding in result.findings if not finding.accepted_by]
    informed = [finding for finding in reported if finding.kind != "left"] if notes else []
    left = [finding for finding in reported if finding.kind == "left"]
    yield from _part(informed, result.script, None if all_sites else NOTES, name_of)
    if informed and left:
        yield "  left to be migrated by hand:"
    yield from _part(left, result.script, None if all_sites else LEFT, name_of)


def rule_words(code: str, name_of: Callable[[str], str]) -> str:
    """A rule's code and name as shown in findings."""
    return f"{code} {name}:" if (name := name_of(code)) else code


class _Message(NamedTuple):
    """The text that several findings of one file share: the message and the advice."""

    path: Path
    code: str
    todo: str
    message: str


def _part(
    findings: list[Finding], script: Path, limit: int | None, name_of: Callable[[str], str]
) -> list[str]:
    """The lines for as many messages as fit into `limit` lines; None: for all."""
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
    """Selects `count` messages: the first of each file, code and advice, then others; sorted by these groups."""
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


# -- diffs -------------------------------------------------------------------------------------------------------------


def unified_diff(change: FileChange, original: Path | None = None) -> Iterator[str]:
    """The lines of a unified diff for `patch -p1`.

    Args:
        original: the file of the old text, where it is another file.
    """
    before, after = _split(change.before), _split(change.after)
    if before == after:
        return
    yield f"--- a/{display_path(original or change.path).lstrip('/')}\n"
    yield f"+++ b/{display_path(change.path).lstrip('/')}\n"
    for line in _hunks(before, after):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _hunks(before: list[str], after: list[str]) -> Iterator[str]:
    for group in _match(before, after).get_grouped_opcodes(3):
        first, last = group[0], group[-1]
        yield f"@@ -{_range(first[1], last[2])} +{_range(first[3], last[4])} @@\n"
        for tag, start, end, new_start, new_end in group:
            yield from (f"{' ' if tag == 'equal' else '-'}{line}" for line in before[start:end])
            yield from (f"+{line}" for line in after[new_start:new_end] if tag != "equal")


def _range(start: int, end: int) -> str:
    """A range of lines, as in a hunk's header of a unified diff."""
    if end == start + 1:
        return str(end)
    return f"{start + (start < end)},{end - start}"


def _split(text: str) -> list[str]:
    """Splits a text at line feeds only, as a diff needs it."""
    return [line for line in re.split(r"(?<=\n)", text) if line]


#: texts of more lines than the first number are compared in windows of so many lines: the work then grows with their
#: length, not with its square
_LONG, _WINDOW = 2000, 400
_Opcode = tuple[str, int, int, int, int]


def _match(before: list[str], after: list[str]) -> SequenceMatcher[str]:
    """A matcher of two texts. For long texts, each window ends after its last lines that are equal."""
    if len(before) < _LONG:
        return SequenceMatcher(None, before, after)
    opcodes: list[_Opcode] = []
    i = j = 0
    while i < len(before) or j < len(after):
        window = SequenceMatcher(None, before[i : i + _WINDOW], after[j : j + _WINDOW])
        found: list[_Opcode] = [*window.get_opcodes()]
        equal = [place for place, (tag, *_) in enumerate(found) if tag == "equal"]
        if equal and (i + _WINDOW < len(before) or j + _WINDOW < len(after)):
            del found[equal[-1] + 1 :]
        if opcodes and opcodes[-1][0] == found[0][0]:
            tag, start, _, new_start, _ = opcodes.pop()
            found[0] = tag, start - i, found[0][2], new_start - j, found[0][4]
        opcodes += [(tag, a + i, b + i, c + j, d + j) for tag, a, b, c, d in found]
        _, _, i, _, j = opcodes[-1]
    matcher: SequenceMatcher[str] = SequenceMatcher(None, [], [])
    matcher.opcodes = opcodes  # type: ignore[attr-defined]
    return matcher

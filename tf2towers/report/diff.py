"""The unified diff of a file, whose hunks name the rules that changed their lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from difflib import SequenceMatcher
from pathlib import Path

from tf2towers.report.paths import display_path
from tf2towers.report.result import FileChange


def _no_name(_: str) -> str:
    return ""


def rule_words(code: str, name_of: Callable[[str], str] = _no_name) -> str:
    """A rule's code and name: `T2T605 tower-loop`."""
    return f"{code} {name_of(code)}".rstrip()


def unified_diff(
    change: FileChange, original: Path | None = None, name_of: Callable[[str], str] = _no_name
) -> Iterator[str]:
    """A unified diff's lines for `patch -p1`; the head of a hunk ends with its rules.

    Args:
        original: the file of the old text, where it is another file.
        name_of: the name of the rule with a code.
    """
    before, after = _split(change.before), _split(change.after)
    if before == after:
        return
    rules: dict[int, list[str]] = {}
    for edit in change.edits if change.notebook is None else ():  # a notebook's lines are counted in cells
        rules.setdefault(edit.line, []).append(rule_words(edit.code, name_of))
    yield f"--- a/{display_path(original or change.path).lstrip('/')}\n"
    yield f"+++ b/{display_path(change.path).lstrip('/')}\n"
    for line in _hunks(before, after, rules):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _hunks(before: list[str], after: list[str], rules: dict[int, list[str]]) -> Iterator[str]:
    for group in _match(before, after).get_grouped_opcodes(3):
        first, last = group[0], group[-1]
        inside = (rule for line in range(first[1] + 1, last[2] + 1) for rule in rules.get(line, ()))
        names = ", ".join(sorted(set(inside)))
        yield f"@@ -{_range(first[1], last[2])} +{_range(first[3], last[4])} @@ {names}".rstrip() + "\n"
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


#: texts of more lines than the first number are compared in windows of so many lines: the work then
#: grows with their length, not with its square
_LONG, _WINDOW = 2000, 400
_Opcode = tuple[str, int, int, int, int]


def _match(before: list[str], after: list[str]) -> SequenceMatcher[str]:
    """A matcher of two texts; windows of long ones end after their last equal lines."""
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

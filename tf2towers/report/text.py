"""A result for a terminal: the unified diff, then what was done and every site that is left."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from difflib import SequenceMatcher
from pathlib import Path

from tf2towers.report.paths import counted, display_path
from tf2towers.report.result import FileChange, Finding, MigrationResult
from tf2towers.report.sites import lines as site_lines
from tf2towers.report.sites import rule_words, where


def lines(
    result: MigrationResult,
    name_of: Callable[[str], str] = lambda code: "",
    diff: bool = True,
    brief: bool = False,
    every: bool = False,
) -> Iterator[str]:
    """The report on a script, with line ends.

    Args:
        name_of: the name of the rule with a code.
        diff: whether the changes are shown; not where the files are written anyway.
        brief: notes about a program without towers and servers are left out; sites that are left never are.
        every: every site, however many there are, and the modules that are read and unchanged.
    """
    for change in result.changes if diff else ():
        yield from unified_diff(change)
    yield f"{summary(result)}\n"
    for line in site_lines(result, name_of, all_sites=every, notes=not (brief and result.remark)):
        yield f"{line}\n"
    for path in result.copied if every else ():
        yield f"  {display_path(path)}: read, unchanged\n"


def left_only(result: MigrationResult, name_of: Callable[[str], str]) -> str:
    """A line for each site that is left, with its file: what `--quiet` prints."""
    return "".join(
        f"{display_path(finding.path)}:{where(finding)}: {rule_words(finding.code, name_of)} {finding.message}\n"
        for finding in result.left
    )


def unified_diff(change: FileChange, original: Path | None = None) -> Iterator[str]:
    """The lines of a unified diff that `patch -p1` takes.

    Args:
        original: the file of the text before, where that is another one.
    """
    before, after = _lines(change.before), _lines(change.after)
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
            if tag == "equal":
                yield from (f" {line}" for line in before[start:end])
                continue
            yield from (f"-{line}" for line in before[start:end])
            yield from (f"+{line}" for line in after[new_start:new_end])


def _range(start: int, end: int) -> str:
    """A range of lines as a unified diff writes it."""
    length = end - start
    if length == 1:
        return str(start + 1)
    return f"{start + 1 if length else start},{length}"


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
    """What the user accepted, and what was not to be reported; empty where there is nothing."""
    words = ""
    if result.accepted:
        words += f", {len(result.accepted)} accepted by you ({_codes(result.accepted)})"
    if result.hidden:
        words += f", {counted(len(result.hidden), 'note')} hidden ({_codes(result.hidden)})"
    return words


def _codes(findings: Iterable[Finding]) -> str:
    return ", ".join(sorted({finding.code for finding in findings}))


def _lines(text: str) -> list[str]:
    """The lines of a text for a diff, split at line feeds alone."""
    lines = text.split("\n")
    last = lines.pop()
    return [f"{line}\n" for line in lines] + ([last] if last else [])


#: of a text of more lines than the first number, so many are compared at a time: the work grows with its length, not
#: with the square of it
_LONG, _WINDOW = 2000, 400
_Opcode = tuple[str, int, int, int, int]


def _match(before: list[str], after: list[str]) -> SequenceMatcher[str]:
    """A matcher of two texts. Of long ones, each window ends with the last lines in it that are the same."""
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

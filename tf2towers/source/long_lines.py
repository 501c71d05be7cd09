"""Breaks lines that longer names have made too long, after a comma or an open bracket."""

from __future__ import annotations

import io
import re
import tokenize

_LIMIT = 120


def break_long_lines(before: str, after: str, newline: str) -> str:
    """The text with its too long lines broken; the limit is 120, or the longest line before.

    Unchanged lines are not broken, and neither are lines without a place for a break.
    """
    known = before.splitlines()
    limit = max([_LIMIT, *map(len, known)])
    old = set(known)
    for _ in range(8):  # a line can need more than one break
        breaks = _breaks(after, limit, old)
        if not breaks:
            break
        for line, column, indent in sorted(breaks, reverse=True):
            start = _offset(after, line) + column
            rest = after[start:]
            after = after[:start].rstrip(" ") + newline + " " * indent + rest.lstrip(" ")
    return after


def _offset(text: str, line: int) -> int:
    starts = [0, *(found.end() for found in re.finditer(r"\r\n|\r|\n", text))]
    return starts[line - 1]


def _breaks(text: str, limit: int, old: set[str]) -> list[tuple[int, int, int]]:
    """(line, column, indent) of a break for each line that is too long."""
    rows = re.split(r"\r\n|\r|\n", text)
    long = {number for number, row in enumerate(rows, 1) if len(row) > limit and row not in old}
    if not long:
        return []
    best: dict[int, tuple[int, int, int]] = {}  # line -> rank of its best place, the lowest is best
    found: dict[int, tuple[int, int]] = {}
    opened: list[tuple[int, int]] = []  # line and column of each open bracket
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            (line, column), end = token.start, token.end[1]
            if token.type != tokenize.OP:
                continue
            if token.string in "([{":
                opened.append((line, column))
            elif token.string in ")]}" and opened:
                opened.pop()
            if token.string not in ",([{" or line not in long or not opened or end > limit:
                continue
            worth = (len(opened), int(token.string != ","), -end)
            indent = _indent(rows[line - 1], line, opened[-1], token.string, limit, end)
            if rows[line - 1][end:].strip() and indent < end and worth < best.get(line, (99, 0, 0)):
                best[line], found[line] = worth, (end, indent)
    except (tokenize.TokenError, IndentationError):
        return []
    return [(line, column, indent) for line, (column, indent) in found.items()]


def _indent(row: str, line: int, bracket: tuple[int, int], string: str, limit: int, end: int) -> int:
    own = len(row) - len(row.lstrip())
    rest = len(row[end:].strip())
    if string != ",":
        return own + 8
    if bracket[0] != line:
        return own
    aligned = bracket[1] + 1
    return aligned if aligned + rest <= limit else own + 8

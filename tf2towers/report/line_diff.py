"""A diff of long texts in one pass: edits are local, so the lines after one meet again soon."""

from __future__ import annotations

from difflib import SequenceMatcher

#: texts of fewer lines are compared as a whole
_LONG = 2000
#: how many lines of both sides an edit may have
_REACH = 300

Opcode = tuple[str, int, int, int, int]


def match_lines(before: list[str], after: list[str]) -> SequenceMatcher[str]:
    """A matcher of two lists of lines, whose work grows with their length, not with its square."""
    if len(before) < _LONG:
        return SequenceMatcher(None, before, after)
    found: SequenceMatcher[str] = SequenceMatcher(None, [], [])
    found.opcodes = _opcodes(before, after)  # type: ignore[attr-defined]
    return found


def _opcodes(before: list[str], after: list[str]) -> list[Opcode]:
    found: list[Opcode] = []
    i = j = 0
    while i < len(before) or j < len(after):
        start_i, start_j = i, j
        while i < len(before) and j < len(after) and before[i] == after[j]:
            i, j = i + 1, j + 1
        if i > start_i:
            found.append(("equal", start_i, i, start_j, j))
        if i == len(before) and j == len(after):
            break
        meeting = _next_match(before, after, i, j)
        if meeting is None:
            rest = SequenceMatcher(None, before[i:], after[j:]).get_opcodes()
            return found + [(tag, a + i, b + i, c + j, d + j) for tag, a, b, c, d in rest]
        end_i, end_j = meeting
        tag = "insert" if end_i == i else "delete" if end_j == j else "replace"
        found.append((tag, i, end_i, j, end_j))
        i, j = end_i, end_j
    return found


def _next_match(before: list[str], after: list[str], i: int, j: int) -> tuple[int, int] | None:
    """The nearest place where two lines in a row are the same again, or both texts end."""
    for total in range(1, _REACH):
        for taken in sorted(range(total + 1), key=lambda share: abs(2 * share - total)):
            a, b = i + taken, j + total - taken
            if a > len(before) or b > len(after):
                continue
            if before[a : a + 2] == after[b : b + 2] and (len(before) - a > 1 or len(after) - b < 2):
                return a, b
    return None

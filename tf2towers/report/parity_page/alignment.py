"""Two texts aligned line by line, in time that stays near linear.

Lines that both texts have once are anchors, in the longest order both share (patience diff, Bram Cohen 2003); `difflib`
aligns what lies between. Alone, and looking at every line, `difflib` takes 10 to over 45 seconds for 5000 lines that
repeat themselves.
"""

from __future__ import annotations

import difflib
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

#: above this many pairs of lines `difflib` is not asked: the stretch is shown as replaced
_MOST_PAIRS = 4_000_000
#: below this many lines it looks at all of them; otherwise not at those that are everywhere ('autojunk')
_SHORT = 200


@dataclass(frozen=True)
class Row:
    """A row of two columns; a side is None where it has no line. Numbers count from 0."""

    left: int | None
    right: int | None
    same: bool


def lines_of(text: str) -> list[str]:
    """The lines of a script, without their ends. A last line feed opens no line."""
    lines = text.replace("\r\n", "\n").split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def aligned(left: Sequence[str], right: Sequence[str]) -> list[Row]:
    """Every line of both, in order. Of changed lines those that differ in white space alone share a row."""
    rows: list[Row] = []
    at_left = at_right = 0
    for one, other in [*_matches(left, right), (len(left), len(right))]:
        rows += _changed(left, right, range(at_left, one), range(at_right, other))
        if one < len(left):
            rows.append(Row(one, other, same=True))
        at_left, at_right = one + 1, other + 1
    return rows


def _changed(left: Sequence[str], right: Sequence[str], ones: range, others: range) -> Iterator[Row]:
    """A stretch without an equal line: a migration moves code into a function, so white space is ignored first."""
    squeezed = [" ".join(left[place].split()) for place in ones]
    again = [" ".join(right[place].split()) for place in others]
    at_left, at_right = 0, 0
    for one, other in [*_matches(squeezed, again), (len(ones), len(others))]:
        # an empty line holds nothing together
        if one < len(ones) and not squeezed[one]:
            continue
        yield from _side_by_side(ones[at_left:one], others[at_right:other])
        if one < len(ones):
            yield Row(ones[one], others[other], same=left[ones[one]] == right[others[other]])
        at_left, at_right = one + 1, other + 1


def _side_by_side(ones: range, others: range) -> Iterator[Row]:
    for place in range(max(len(ones), len(others))):
        yield Row(
            ones[place] if place < len(ones) else None,
            others[place] if place < len(others) else None,
            same=False,
        )


def _matches(left: Sequence[str], right: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Pairs of equal lines, both numbers rising."""
    start, ends = 0, min(len(left), len(right))
    while start < ends and left[start] == right[start]:
        yield start, start
        start += 1
    tail = 0
    while tail < ends - start and left[-1 - tail] == right[-1 - tail]:
        tail += 1
    stop_left, stop_right = len(left) - tail, len(right) - tail
    at_left = at_right = start
    for one, other in [*_anchors(left, right, start, stop_left, stop_right), (stop_left, stop_right)]:
        yield from _between(left, right, range(at_left, one), range(at_right, other))
        if one < stop_left:
            yield one, other
        at_left, at_right = one + 1, other + 1
    for place in range(tail):
        yield stop_left + place, stop_right + place


def _anchors(
    left: Sequence[str], right: Sequence[str], start: int, stop_left: int, stop_right: int
) -> list[tuple[int, int]]:
    counts, again = Counter(left[start:stop_left]), Counter(right[start:stop_right])
    where = {right[place]: place for place in range(start, stop_right)}
    pairs = [
        (place, where[left[place]])
        for place in range(start, stop_left)
        if left[place].strip() and counts[left[place]] == 1 and again[left[place]] == 1
    ]
    # the longest rising run of the second numbers: patience sorting, with links back
    ends: list[int] = []
    tops: list[int] = []
    before: list[int] = []
    for index, (_, other) in enumerate(pairs):
        pile = bisect_left(ends, other)
        before.append(tops[pile - 1] if pile else -1)
        if pile == len(ends):
            ends.append(other)
            tops.append(index)
        else:
            ends[pile], tops[pile] = other, index
    chain = []
    index = tops[-1] if tops else -1
    while index >= 0:
        chain.append(pairs[index])
        index = before[index]
    return chain[::-1]


def _between(
    left: Sequence[str], right: Sequence[str], ones: range, others: range
) -> Iterator[tuple[int, int]]:
    if not ones or not others or len(ones) * len(others) > _MOST_PAIRS:
        return
    matcher = difflib.SequenceMatcher(
        None,
        [left[place] for place in ones],
        [right[place] for place in others],
        autojunk=max(len(ones), len(others)) >= _SHORT,
    )
    for block in matcher.get_matching_blocks():
        for place in range(block.size):
            yield ones[block.a + place], others[block.b + place]

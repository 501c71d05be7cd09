"""Two texts aligned line by line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tf2towers.report.line_diff import matcher


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
    for place, other in [*_matches(left, right), (len(left), len(right))]:
        rows += _changed(left, right, range(at_left, place), range(at_right, other))
        if place < len(left):
            rows.append(Row(place, other, same=True))
        at_left, at_right = place + 1, other + 1
    return rows


def _changed(left: Sequence[str], right: Sequence[str], ones: range, others: range) -> Iterator[Row]:
    """A stretch without an equal line: a migration moves code into a function, so white space is ignored first."""
    squeezed = [" ".join(left[place].split()) for place in ones]
    again = [" ".join(right[place].split()) for place in others]
    at_left, at_right = 0, 0
    for place, other in [*_matches(squeezed, again), (len(ones), len(others))]:
        # an empty line holds nothing together
        if place < len(ones) and not squeezed[place]:
            continue
        yield from _side_by_side(ones[at_left:place], others[at_right:other])
        if place < len(ones):
            yield Row(ones[place], others[other], same=left[ones[place]] == right[others[other]])
        at_left, at_right = place + 1, other + 1


def _side_by_side(ones: range, others: range) -> Iterator[Row]:
    for place in range(max(len(ones), len(others))):
        yield Row(
            ones[place] if place < len(ones) else None,
            others[place] if place < len(others) else None,
            same=False,
        )


def _matches(left: Sequence[str], right: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Pairs of equal lines, both numbers rising."""
    for tag, start, end, other, other_end in matcher(list(left), list(right)).get_opcodes():
        if tag == "equal":
            yield from zip(range(start, end), range(other, other_end), strict=True)

"""Both scripts side by side, with what is unchanged over long stretches folded away."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from tf2towers.report import parity_words as words
from tf2towers.report.html.elements import Markup, element, joined, scrolling
from tf2towers.report.line_diff import matcher
from tf2towers.report.parity_result import ParityResult
from tf2towers.report.paths import shown

#: unchanged lines that stay next to a change, and the shortest stretch that is folded
_CONTEXT, _FOLDED = 3, 5
_TOKEN = re.compile(r"\w+|\s+|.", re.DOTALL)


def scripts(result: ParityResult) -> Markup:
    """The diff of the two scripts; a sentence where there is none to show."""
    before, after = result.original, result.migrated
    if not before.text and not after.text:
        return element("p", "The texts of the scripts were not recorded.")
    if before.text == after.text:
        return element("p", "The two scripts are the same text.")
    left, right = lines_of(before.text), lines_of(after.text)
    rows = aligned(left, right)
    titles = [f"{side.title}: {shown(side.script)}" for side in (before, after)]
    changed = sum(not row.same for row in rows)
    about = element(
        "p", f"{words.counted(changed, 'row')} of {len(rows)} changed: − on the left, + on the right."
    )
    tables = [
        _folded(stretch, left, right, titles) if fold else _table(stretch, left, right, titles)
        for fold, stretch in _stretches(rows)
    ]
    columns = element(
        "div", *(element("strong", title) for title in titles), class_="diff-titles", aria_hidden="true"
    )
    return joined([about, scrolling("The two scripts", element("div", columns, *tables, class_="diff"))])


def _stretches(rows: Sequence[Row]) -> Iterator[tuple[bool, list[Row]]]:
    """Stretches of rows, and whether each is folded."""
    near = [False] * len(rows)
    for place, row in enumerate(rows):
        if not row.same:
            low, high = max(0, place - _CONTEXT), min(len(rows), place + _CONTEXT + 1)
            near[low:high] = [True] * (high - low)
    for shown_, group in groupby(range(len(rows)), key=near.__getitem__):
        stretch = [rows[place] for place in group]
        yield not shown_ and len(stretch) >= _FOLDED, stretch


def _folded(rows: Sequence[Row], left: Sequence[str], right: Sequence[str], titles: Sequence[str]) -> Markup:
    first = rows[0].left
    assert first is not None  # a folded row has both sides
    summary = f"{len(rows)} unchanged lines ({first + 1} to {first + len(rows)} on the left)"
    return element("details", element("summary", summary), _table(rows, left, right, titles))


def _table(rows: Sequence[Row], left: Sequence[str], right: Sequence[str], titles: Sequence[str]) -> Markup:
    columns = Markup("<colgroup><col class='n'><col><col class='n'><col></colgroup>")
    head = element(
        "thead",
        element(
            "tr",
            *(
                element("th", text, scope="col")
                for title in titles
                for text in (f"line in {title.partition(':')[0]}", title)
            ),
        ),
        class_="unseen",
    )
    body = element("tbody", *(_row(row, left, right) for row in rows))
    return element("table", columns, head, body)


def _row(row: Row, left: Sequence[str], right: Sequence[str]) -> Markup:
    mine = None if row.left is None else left[row.left]
    its = None if row.right is None else right[row.right]
    if row.same:
        cells = [_cells(row.left, mine, "", "same"), _cells(row.right, its, "", "same")]
    elif mine is not None and its is not None:
        before, after = _marked(mine, its)
        cells = [_cells(row.left, before, "−", "gone"), _cells(row.right, after, "+", "new")]
    else:
        cells = [_cells(row.left, mine, "−", "gone"), _cells(row.right, its, "+", "new")]
    return element("tr", *cells)


def _cells(number: int | None, line: str | None, sign: str, class_: str) -> Markup:
    if number is None or line is None:
        return joined([element("td"), element("td", class_="absent")])
    return joined(
        [
            element("td", f"{number + 1} {sign}".strip(), class_=f"n {class_}"),
            element("td", line, class_=class_),
        ]
    )


def _marked(before: str, after: str) -> tuple[Markup, Markup]:
    """Both lines with what changed between their common beginning and end marked, word by word."""
    left, right = _TOKEN.findall(before), _TOKEN.findall(after)
    most = min(len(left), len(right))
    start = next((place for place in range(most) if left[place] != right[place]), most)
    tail = next(
        (place for place in range(most - start) if left[-1 - place] != right[-1 - place]), most - start
    )
    common = "".join(left[:start] + left[len(left) - tail :]).strip()
    # two lines that have little to do with each other
    if len(common) * 3 < max(len(before.strip()), len(after.strip())):
        return joined([before]), joined([after])
    return _middle(left, start, tail), _middle(right, start, tail)


def _middle(tokens: Sequence[str], start: int, tail: int) -> Markup:
    stop = len(tokens) - tail
    changed = "".join(tokens[start:stop])
    marked = element("mark", changed) if changed else ""
    return joined(["".join(tokens[:start]), marked, "".join(tokens[stop:])])


# -- two texts aligned line by line ------------------------------------------------------------------------------------


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

"""The tables: how many of each kind are equal, and how far each one is apart."""

from __future__ import annotations

from collections.abc import Sequence

from tf2towers.report import parity_words as words
from tf2towers.report.html.elements import Markup, element, joined, scrolling
from tf2towers.report.parity_result import Comparison, ParityResult

#: titles of the columns, and whether they are numbers
_COLUMNS = (
    ("kind", False),
    ("name", False),
    ("shape", False),
    ("dtype", False),
    ("verdict", False),
    ("first step", True),
    ("max abs", True),
    ("max rel", True),
    ("ulps", True),
)


def values(result: ParityResult) -> Markup:
    """The count of each kind, a table of what is not bit-identical, and one of the rest, folded."""
    if not result.comparisons:
        return element("p", "Nothing was compared.")
    ordered = words.worst_first(result.comparisons)
    apart = [one for one in ordered if words.verdict_of(one) != "bitwise"]
    equal = [one for one in result.comparisons if words.verdict_of(one) == "bitwise"]
    parts = [_tally(result.comparisons)]
    if apart:
        hint = "The worst first. max rel is the smallest tolerance that would pass, rounded up."
        parts += [element("h3", "Not bit-identical"), element("p", hint), _table("Not bit-identical", apart)]
    if equal:
        summary = element("summary", f"{len(equal)} bit-identical")
        parts.append(element("details", summary, _table("Bit-identical", equal)))
    return joined(parts)


def _tally(comparisons: Sequence[Comparison]) -> Markup:
    verdicts = list(reversed(words.VERDICTS))
    titles = (_head(words.VERDICT_WORDS[one], class_="number") for one in verdicts)
    head = element("tr", _head("kind"), *titles)
    rows = [
        element(
            "tr",
            element("th", words.PLURALS[kind], scope="row"),
            *(
                element("td", str(counts[one]), class_=f"number {one if counts[one] else ''}")
                for one in verdicts
            ),
        )
        for kind, counts in words.tally(comparisons)
    ]
    return scrolling("How many are equal", element("table", element("thead", head), element("tbody", *rows)))


def _table(label: str, comparisons: Sequence[Comparison]) -> Markup:
    head = element("tr", *(_head(title, class_="number" if numeric else None) for title, numeric in _COLUMNS))
    body = element("tbody", *map(_row, comparisons))
    return scrolling(label, element("table", element("thead", head), body, class_="sortable"))


def _row(one: Comparison) -> Markup:
    verdict = words.verdict_of(one)
    said = words.said_of(one) + (f": {one.problem}" if one.problem else "")
    if one.problem:
        numbers = [("", "")] * 4
    else:
        first = "" if one.first_step is None else str(one.first_step)
        numbers = [
            (first, first),
            (words.number(one.max_abs), repr(float(one.max_abs))),
            (words.ceiling(one.max_rel), repr(float(one.max_rel))),
            (words.ulps(one.ulps), repr(float(one.ulps))),
        ]
    return element(
        "tr",
        element("td", one.kind),
        element("th", element("code", one.name), scope="row"),
        element("td", "" if one.problem and not one.shape else words.shape(one.shape)),
        element("td", one.dtype),
        element("td", said, class_=verdict, data_value=words.VERDICTS.index(verdict)),
        *(element("td", shown, class_="number", data_value=value) for shown, value in numbers),
    )


def _head(title: str, class_: str | None = None) -> Markup:
    return element("th", title, scope="col", class_=class_)

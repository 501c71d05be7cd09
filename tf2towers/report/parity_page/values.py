"""The tables: how many of each kind are equal, and how far each one is apart."""

from __future__ import annotations

from collections.abc import Sequence

from tf2towers.report import parity_words as words
from tf2towers.report.html.elements import Markup, element, heading, joined, table
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
    apart = [found for found in ordered if words.verdict_of(found) != "bitwise"]
    equal = [found for found in result.comparisons if words.verdict_of(found) == "bitwise"]
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
    headings = ["kind", *(heading(words.VERDICT_WORDS[verdict], "number") for verdict in verdicts)]
    rows = [
        element(
            "tr",
            element("th", words.PLURALS[kind], scope="row"),
            *(
                element("td", str(counts[verdict]), class_=f"number {verdict if counts[verdict] else ''}")
                for verdict in verdicts
            ),
        )
        for kind, counts in words.tally(comparisons)
    ]
    return table("How many are equal", headings, rows)


def _table(label: str, comparisons: Sequence[Comparison]) -> Markup:
    headings = [heading(title, "number" if numeric else None) for title, numeric in _COLUMNS]
    return table(label, headings, map(_row, comparisons), "sortable")


def _row(compared: Comparison) -> Markup:
    verdict = words.verdict_of(compared)
    said = words.said_of(compared) + (f": {compared.problem}" if compared.problem else "")
    if compared.problem:
        numbers = [("", "")] * 4
    else:
        first = "" if compared.first_step is None else str(compared.first_step)
        numbers = [
            (first, first),
            (words.number(compared.max_abs), repr(float(compared.max_abs))),
            (words.ceiling(compared.max_rel), repr(float(compared.max_rel))),
            (words.ulps(compared.ulps), repr(float(compared.ulps))),
        ]
    return element(
        "tr",
        element("td", compared.kind),
        element("th", element("code", compared.name), scope="row"),
        element("td", "" if compared.problem and not compared.shape else words.shape(compared.shape)),
        element("td", compared.dtype),
        element("td", said, class_=verdict, data_value=words.VERDICTS.index(verdict)),
        *(element("td", shown, class_="number", data_value=value) for shown, value in numbers),
    )

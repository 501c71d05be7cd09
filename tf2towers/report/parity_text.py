"""A parity result for a terminal: the verdict, why, what differs first, then what is not bit-identical."""

from __future__ import annotations

import shlex
from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import zip_longest

from tf2towers.report import parity_words as words
from tf2towers.report.parity_result import Comparison, Diagnosis, ParityResult, Side
from tf2towers.report.paths import display_path

#: how many of a kind are listed where not all are asked for; failures come on top
LISTED = 8


def render_parity(result: ParityResult, *, verbose: bool = False) -> str:
    """The whole report.

    Args:
        verbose: names every comparison, also the bit-identical ones; otherwise the worst `LISTED` of a kind and
            every one that could not be compared.
    """
    lines = [_plain(words.headline(result))]
    lines += [f"  {_plain(line)}" for line in words.error_details(result).splitlines()]
    for title, body in sections(result, verbose):
        if body:
            lines += ["", title, *(f"  {line}".rstrip() for line in body)]
    return "\n".join(lines) + "\n"


def sections(result: ParityResult, verbose: bool = False) -> Iterator[tuple[str, list[str]]]:
    """The parts of the report, each with a title and its lines, perhaps none; for `verbose` see `render_parity`."""
    unit = words.unit(result)
    yield "why", [line for found in result.diagnoses for line in _diagnosis(found, unit)]
    first = [] if result.first_step is None else [(f"first {unit}", f"{result.first_step} (counted from 0)")]
    first += [("first gradient, backward", result.first_gradient)] if result.first_gradient else []
    yield "what differs first", _align(first)
    yield "compared", _tally(result.comparisons)
    for kind, _ in words.tally(result.comparisons):
        chosen = [comparison for comparison in result.comparisons if comparison.kind == kind]
        if verbose:
            yield words.PLURALS[kind], _rows(chosen)
        else:
            yield f"{words.PLURALS[kind]} that are not bit-identical", _worst(chosen)
    arguments = [("arguments", shlex.join(result.arguments))] if result.arguments else []
    sides = result.original, result.migrated
    yield "runs", _align([*map(_side, sides), *arguments])
    notes = [*result.notes, *(f"{side.title}: {note}" for side in sides for note in side.notes)]
    yield "notes", [line for note in notes for line in _lines(note)]


def _diagnosis(found: Diagnosis, unit: str) -> Iterator[str]:
    yield f"{_plain(found.name)} (from {unit} {found.step}, confidence {found.confidence:.0%})"
    todo = f"\nto do: {found.todo}" if found.todo else ""
    yield from (f"    {_plain(line)}" for line in (found.message + todo).splitlines())


def _tally(comparisons: Iterable[Comparison]) -> list[str]:
    counts = words.tally(comparisons)
    found = {verdict for _, count in counts for verdict in count if count[verdict]} | {"bitwise"}
    verdicts = [verdict for verdict in reversed(words.VERDICTS) if verdict in found]
    header = ["", *(words.VERDICT_WORDS[verdict] for verdict in verdicts)]
    body = [[words.PLURALS[kind], *(str(count[verdict]) for verdict in verdicts)] for kind, count in counts]
    return columns([header, *body], right=range(1, len(header))) if body else []


def _worst(comparisons: list[Comparison]) -> list[str]:
    ordered = [found for found in words.worst_first(comparisons) if words.verdict_of(found) != "bitwise"]
    others = [found for found in ordered if not found.problem]
    lines = _rows([*(found for found in ordered if found.problem), *others[:LISTED]])
    if left := others[LISTED:]:
        within = sum(found.within for found in left)
        but = f", {within} of them within tolerance" if within else ""
        lines.append(f"and {len(left)} more, none of them further apart{but}")
    return lines


def _rows(comparisons: list[Comparison]) -> list[str]:
    header = ["", "name", "shape", "first step", "max rel"]
    table = [] if all(found.problem for found in comparisons) else [header]
    for found in comparisons:
        verdict = words.verdict_of(found)
        said = "rounding" if found.rounding and verdict == "within" else words.VERDICT_WORDS[verdict]
        first = "-" if found.first_step is None else str(found.first_step)
        shape = "x".join(map(str, found.shape)) or "()"
        more = [_plain(found.problem)] if found.problem else [shape, first, words.ceiling(found.max_rel)]
        table.append(["" if verdict == "bitwise" else said, _plain(found.name), *more])
    return columns(table, right=range(3, len(header)))


def _side(side: Side) -> tuple[str, str]:
    versions = [f"TensorFlow {side.tensorflow}"] if side.tensorflow else []
    versions += [f"Python {side.python}"] if side.python else []
    seconds = [f"{side.seconds:.1f} s"] if side.seconds else []
    return side.title, ", ".join([display_path(side.script), *versions, *seconds])


def _align(pairs: Sequence[tuple[str, str]]) -> list[str]:
    return columns([[mine, _plain(its)] for mine, its in pairs])


def columns(table: Sequence[Sequence[str]], right: Container[int] = ()) -> list[str]:
    """Rows as wide as they need to be. The last cell of a row that is short of cells (a problem) widens no column."""
    full = max(map(len, table), default=0)
    counting = [row if len(row) == full else row[:-1] for row in table]
    widths = [max(map(len, column)) for column in zip_longest(*counting, fillvalue="")]
    lines = []
    for row in table:
        cells = [
            cell.rjust(width) if place in right else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=False))
        ]
        lines.append("  ".join(cells if widths[0] else cells[1:]).rstrip())
    return lines


def _lines(text: str) -> list[str]:
    """The lines of a sentence; those after the first are indented."""
    return [f"{'  ' if place else ''}{_plain(line)}" for place, line in enumerate(text.splitlines())]


def _plain(text: str) -> str:
    """On one line and without control characters: a name must not steer the terminal."""
    return "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in text)

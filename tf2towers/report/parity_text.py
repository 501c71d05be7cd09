"""A parity result as text: the verdict, the causes, the first difference, the values."""

from __future__ import annotations

import decimal
import math
import shlex
from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Literal

from tf2towers.report.parity_result import Comparison, Diagnosis, Kind, ParityResult, Side
from tf2towers.report.paths import counted, display_path

#: in the order in which a training step computes them
PLURALS: dict[Kind, str] = {
    "input": "inputs",
    "loss": "losses",
    "tower gradient": "tower gradients",
    "gradient": "gradients",
    "variable": "variables",
    "fetched": "fetched values",
    "summary": "summaries",
}
KINDS = tuple(PLURALS)
#: the kinds that a headline names, in this order: for session calls, and for training steps
_OF_CALLS: tuple[Kind, ...] = ("gradient", "variable", "fetched", "summary")
_OF_STEPS: tuple[Kind, ...] = ("gradient", "loss", "variable")

Verdict = Literal["failed", "differs", "within", "bitwise"]
#: the worst first
VERDICT_WORDS: dict[Verdict, str] = {
    "failed": "not comparable",
    "differs": "differs",
    "within": "within tolerance",
    "bitwise": "bit-identical",
}
VERDICTS = tuple(VERDICT_WORDS)


def verdict_of(comparison: Comparison) -> Verdict:
    """The verdict on one comparison: 'failed' if it has a `problem`, whatever the rest is."""
    if comparison.problem:
        return "failed"
    if comparison.bitwise:
        return "bitwise"
    return "within" if comparison.within else "differs"


def worst_first(comparisons: Iterable[Comparison]) -> list[Comparison]:
    """Sorts by verdict, then by relative difference, NaN first; equal ones keep their order."""
    return sorted(comparisons, key=lambda found: (VERDICTS.index(verdict_of(found)), -_rank(found.max_rel)))


def headline(result: ParityResult) -> str:
    """The verdict in one line.

    It names only kinds that were compared: without gradients, it does not claim that they are
    equal.
    """
    if result.outcome == "error":
        lines = result.error.strip().splitlines()
        return f"could not be compared: {lines[0].strip() if lines else 'no reason was given'}"
    if result.outcome == "unrepeatable":
        return f"UNREPEATABLE: {result.error.splitlines()[0]}"
    if is_empty(result):
        return f"NOTHING COMPARED: {'no values were' if result.steps else 'no training step was'} recorded"
    core = _OF_CALLS if result.calls else _OF_STEPS
    of = [found for found in result.comparisons if found.kind in core]
    if not of or (result.outcome == "differs" and all(found.within and not found.problem for found in of)):
        of = result.comparisons  # the difference is in other kinds
    kinds = [kind for kind in dict.fromkeys((*core, *KINDS)) if any(found.kind == kind for found in of)]
    every = f"every {_listed(['fetched value' if kind == 'fetched' else kind for kind in kinds])} of {span(result)}"
    equal, rounding = sum(found.bitwise for found in of), sum(found.rounding for found in of)
    if result.outcome == "bitwise":
        return f"PARITY: {every} is bit-identical"
    if result.outcome == "within":
        if rounding and equal + rounding == len(of):
            return f"WITHIN ROUNDING: {every} is bit-identical ({equal}) or differs by rounding ({rounding})"
        to = max((found.max_rel for found in of if not found.rounding), default=0.0)
        but = f", {rounding} differ by rounding" if rounding else ""
        agrees = f"agrees to {ceiling(to)} ({equal} of {len(of)} bit-identical{but})"
        return f"WITHIN TOLERANCE {result.tolerance:.3g}: {every} {agrees}"
    failed = sum(bool(found.problem) for found in of)
    apart = sum(verdict_of(found) == "differs" for found in of)
    parts = [f"{failed} could not be compared"] * bool(failed)
    if apart:
        largest = max((found.max_rel for found in of if not found.problem), key=_rank)
        most = (
            f"by up to {ceiling(largest)} (relative)"
            if math.isfinite(largest)
            else "NaN or infinite in places"
        )
        parts.insert(0, f"{apart} of {len(of)} {_listed([PLURALS[kind] for kind in kinds])} {most}")
    if not parts:
        why = next((found.message.rstrip(".") for found in result.diagnoses), "the two runs are not the same")
        return f"DIFFERS: {why}"
    since = "" if result.first_step is None else f", first at {unit(result)} {result.first_step}"
    place = f" ({result.first_places[0]})" if result.first_places else ""
    return f"DIFFERS: {', '.join(parts)}{since}{place}, over {span(result)}"


def is_empty(result: ParityResult) -> bool:
    """True if both scripts ran, but nothing was compared."""
    compared = (result.calls or result.steps) and result.comparisons
    return result.outcome in ("bitwise", "within") and not compared


def error_details(result: ParityResult) -> str:
    """The lines of an error after the first."""
    return "\n".join(result.error.strip().splitlines()[1:])


def span(result: ParityResult) -> str:
    """How much was compared: steps, towers and session calls."""
    towers = f" on {counted(result.towers, 'tower')}"
    first, second = result.original.tensorflow, result.migrated.tensorflow
    versions = f" (TensorFlow {first} and {second})" if first and second and first != second else ""
    if not result.calls:
        return counted(result.steps, "step") + towers + versions
    calls = f"{counted(result.calls, 'session call')}, {counted(result.steps, 'training step')}"
    return calls + (towers if result.towers > 1 else "") + versions


def unit(result: ParityResult) -> str:
    """The unit that a result's numbers count: 'step' or 'session call'."""
    return "session call" if result.calls else "step"


def tally(comparisons: Iterable[Comparison]) -> list[tuple[Kind, dict[Verdict, int]]]:
    """The number of comparisons with each verdict, for each kind that was compared."""
    counts: dict[Kind, dict[Verdict, int]] = {}
    for comparison in comparisons:
        counts.setdefault(comparison.kind, dict.fromkeys(VERDICTS, 0))[verdict_of(comparison)] += 1
    return [(kind, counts[kind]) for kind in KINDS if kind in counts]


def ceiling(value: float) -> str:
    """The value in three digits, rounded up: given as a tolerance, the printed number passes."""
    if not math.isfinite(value) or not value:
        return f"{value:.3g}"
    context = decimal.Context(prec=3, rounding=decimal.ROUND_CEILING)
    # converted to a float, which keeps three digits, so that it is printed like other floats
    return f"{float(context.create_decimal_from_float(float(value))):.3g}"


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _rank(value: float) -> float:
    return math.inf if math.isnan(value) else value


# -- the report for a terminal ---------------------------------------------------------------------

#: how many differing values of a kind a brief report lists; failures are listed in addition
LISTED = 8


def render_parity(result: ParityResult, *, verbose: bool = False) -> str:
    """Returns the whole report.

    Args:
        verbose: lists every comparison, the bit-identical ones too. Otherwise lists the worst
            `LISTED` of a kind, and all that could not be compared.
    """
    lines = [_plain(headline(result))]
    lines += [f"  {_plain(line)}" for line in error_details(result).splitlines()]
    for title, body in sections(result, verbose):
        if body:
            lines += ["", title, *(f"  {line}".rstrip() for line in body)]
    return "\n".join(lines) + "\n"


def sections(result: ParityResult, verbose: bool = False) -> Iterator[tuple[str, list[str]]]:
    """Yields the sections of the report: a title and its lines; see `render_parity`."""
    counted_in = unit(result)
    yield "why", [line for found in result.diagnoses for line in _diagnosis(found, counted_in)]
    first = [("first gradient, backward", result.first_gradient)] if result.first_gradient else []
    yield "what differs first", _align(first)
    yield "compared", _tally(result.comparisons)
    for kind, _ in tally(result.comparisons):
        chosen = [comparison for comparison in result.comparisons if comparison.kind == kind]
        if verbose:
            yield PLURALS[kind], _rows(chosen)
        else:
            yield f"{PLURALS[kind]} that are not bit-identical", _worst(chosen)
    arguments = [("arguments", shlex.join(result.arguments))] if result.arguments else []
    sides = result.original, result.migrated
    yield "runs", _align([*map(_side, sides), *arguments])
    notes = [*result.notes, *(f"{side.title}: {note}" for side in sides for note in side.notes)]
    yield "notes", [line for note in notes for line in _lines(note)]


def _diagnosis(found: Diagnosis, unit: str) -> Iterator[str]:
    yield f"{_plain(found.name)} (from {unit} {found.step})"
    todo = f"\nto do: {found.todo}" if found.todo else ""
    yield from (f"    {_plain(line)}" for line in (found.message + todo).splitlines())


def _tally(comparisons: Iterable[Comparison]) -> list[str]:
    counts = tally(comparisons)
    found = {verdict for _, count in counts for verdict in count if count[verdict]} | {"bitwise"}
    verdicts = [verdict for verdict in reversed(VERDICTS) if verdict in found]
    header = ["", *(VERDICT_WORDS[verdict] for verdict in verdicts)]
    body = [[PLURALS[kind], *(str(count[verdict]) for verdict in verdicts)] for kind, count in counts]
    return columns([header, *body], right=range(1, len(header))) if body else []


def _worst(comparisons: list[Comparison]) -> list[str]:
    ordered = [found for found in worst_first(comparisons) if verdict_of(found) != "bitwise"]
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
        verdict = verdict_of(found)
        words = "rounding" if found.rounding and verdict == "within" else VERDICT_WORDS[verdict]
        first = "-" if found.first_step is None else str(found.first_step)
        shape = "x".join(map(str, found.shape)) or "()"
        more = [_plain(found.problem)] if found.problem else [shape, first, ceiling(found.max_rel)]
        table.append(["" if verdict == "bitwise" else words, _plain(found.name), *more])
    return columns(table, right=range(3, len(header)))


def _side(side: Side) -> tuple[str, str]:
    versions = [f"TensorFlow {side.tensorflow}"] if side.tensorflow else []
    versions += [f"Python {side.python}"] if side.python else []
    seconds = [f"{side.seconds:.1f} s"] if side.seconds else []
    return side.title, ", ".join([display_path(side.script), *versions, *seconds])


def _align(pairs: Sequence[tuple[str, str]]) -> list[str]:
    return columns([[title, _plain(text)] for title, text in pairs])


def columns(table: Sequence[Sequence[str]], right: Container[int] = ()) -> list[str]:
    """Rows with aligned columns; the last cell of a short row widens no column."""
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
    """The lines of a text; lines after the first are indented."""
    return [f"{'  ' if place else ''}{_plain(line)}" for place, line in enumerate(text.splitlines())]


def _plain(text: str) -> str:
    """Escapes line ends and control characters, so that a name cannot steer the terminal."""
    return "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in text)

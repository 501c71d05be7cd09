"""The words and numbers that every report of a parity result uses: the verdict in one line, counts, digits."""

from __future__ import annotations

import decimal
import math
from collections.abc import Iterable, Sequence
from typing import Literal, get_args

from tf2towers.report.parity_result import Comparison, Kind, ParityResult

#: in the order of a step
KINDS: tuple[Kind, ...] = get_args(Kind)
PLURALS: dict[Kind, str] = {
    "input": "inputs",
    "loss": "losses",
    "tower gradient": "tower gradients",
    "gradient": "gradients",
    "variable": "variables",
    "fetched": "fetched values",
    "summary": "summaries",
}
#: what a verdict speaks of first
_CORE: tuple[Kind, ...] = ("gradient", "loss", "variable")

Verdict = Literal["failed", "differs", "within", "bitwise"]
#: the worst first
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
VERDICT_WORDS: dict[Verdict, str] = {
    "failed": "not comparable",
    "differs": "differs",
    "within": "within tolerance",
    "bitwise": "bit-identical",
}


def verdict_of(comparison: Comparison) -> Verdict:
    """What came of one comparison; one that has a `problem` is 'failed', whatever its other fields say."""
    if comparison.problem:
        return "failed"
    if comparison.bitwise:
        return "bitwise"
    return "within" if comparison.within else "differs"


def verdict_words(comparison: Comparison) -> str:
    """A comparison's verdict in words."""
    verdict = verdict_of(comparison)
    return "rounding" if comparison.rounding and verdict == "within" else VERDICT_WORDS[verdict]


def worst_first(comparisons: Iterable[Comparison]) -> list[Comparison]:
    """By verdict, then by relative difference; NaN is the worst. Equal ones keep their order."""

    def place(comparison: Comparison) -> tuple[int, float]:
        return VERDICTS.index(verdict_of(comparison)), -_rank(comparison.max_rel)

    return sorted(comparisons, key=place)


def headline(result: ParityResult) -> str:
    """The verdict: one line.

    It speaks of the kinds that were compared alone: without gradients it does not say that they are equal.
    """
    if result.outcome == "error":
        lines = result.error.strip().splitlines()
        return f"could not be compared: {lines[0].strip() if lines else 'no reason was given'}"
    if is_empty(result):
        return (
            f"NOTHING COMPARED: {'no training step was' if not result.steps else 'no values were'} recorded"
        )
    where = span(result)
    of = [found for found in result.comparisons if found.kind in _CORE] or result.comparisons
    if result.calls:
        of = [
            found
            for found in result.comparisons
            if found.kind in ("gradient", "variable", "fetched", "summary")
        ]
    if result.outcome == "bitwise":
        return f"PARITY: every {_kinds_listed(of)} of {where} is bit-identical"
    apart = [found for found in of if verdict_of(found) in ("failed", "differs")]
    if not apart:  # a result that counts other kinds as well, or compares nothing
        of = result.comparisons
        apart = [found for found in of if verdict_of(found) in ("failed", "differs")]
    largest = max((found.max_rel for found in of if not found.problem), key=_rank, default=0.0)
    if result.outcome == "within":
        equal, rounding = sum(found.bitwise for found in of), sum(found.rounding for found in of)
        to = max((found.max_rel for found in of if not found.rounding), default=0.0)
        if rounding and equal + rounding == len(of):
            every = f"every {_kinds_listed(of)} of {where}"
            return f"WITHIN ROUNDING: {every} is bit-identical ({equal}) or differs by rounding ({rounding})"
        but = f", {rounding} differ by rounding" if rounding else ""
        return (
            f"WITHIN TOLERANCE {number(result.tolerance)}: every {_kinds_listed(of)} of {where} agrees to {ceiling(to)}"
            f" ({equal} of {len(of)} bit-identical{but})"
        )
    return f"DIFFERS: {_differing(result, of, apart, largest)}, over {where}"


def is_empty(result: ParityResult) -> bool:
    """Whether both ran, and nothing was compared."""
    compared = (result.calls or result.steps) and result.comparisons
    return result.outcome in ("bitwise", "within") and not compared


def error_details(result: ParityResult) -> str:
    """What an error says after its first line."""
    return "\n".join(result.error.strip().splitlines()[1:]) if result.outcome == "error" else ""


def span(result: ParityResult) -> str:
    """How much was compared: steps, towers and session calls."""
    towers = f" on {counted(result.towers, 'tower')}"
    mine, its = result.original.tensorflow, result.migrated.tensorflow
    versions = f" (TensorFlow {mine} and {its})" if mine and its and mine != its else ""
    if not result.calls:
        return counted(result.steps, "step") + towers + versions
    calls = f"{counted(result.calls, 'session call')}, {counted(result.steps, 'training step')}"
    return calls + (towers if result.towers > 1 else "") + versions


def unit(result: ParityResult) -> str:
    """What the numbers of a result count: 'step', or 'session call'."""
    return "session call" if result.calls else "step"


def first_differences(result: ParityResult) -> list[tuple[str, str]]:
    """What differs first: pairs of what it is and its name. Empty where nothing does."""
    pairs = [
        (
            f"first {unit(result)}",
            "" if result.first_step is None else f"{result.first_step} (counted from 0)",
        ),
        ("first gradient, backward", result.first_gradient),
    ]
    return [(what, name) for what, name in pairs if name]


def tally(comparisons: Iterable[Comparison]) -> list[tuple[Kind, dict[Verdict, int]]]:
    """How many of each kind have which verdict, for the kinds there are."""
    counts: dict[Kind, dict[Verdict, int]] = {}
    for comparison in comparisons:
        counts.setdefault(comparison.kind, dict.fromkeys(VERDICTS, 0))[verdict_of(comparison)] += 1
    return [(kind, counts[kind]) for kind in KINDS if kind in counts]


def notes(result: ParityResult) -> list[str]:
    """What the comparison noted, then what the runs did, each with its run's title."""
    sides = (result.original, result.migrated)
    return [*result.notes, *(f"{side.title}: {note}" for side in sides for note in side.notes)]


def number(value: float) -> str:
    """Three digits; 'NaN' and 'inf' where it is not a number."""
    if math.isnan(value):
        return "NaN"
    return f"{float(value):.3g}" if math.isfinite(value) else ("inf" if value > 0 else "-inf")


def ceiling(value: float) -> str:
    """Three digits, rounded up: given as a tolerance, what is shown passes."""
    if not math.isfinite(value) or not value:
        return number(value)
    context = decimal.Context(prec=3, rounding=decimal.ROUND_CEILING)
    up = context.create_decimal_from_float(float(value))
    # a float again, so that both kinds of numbers look the same; three digits survive that
    return f"{float(up):.3g}"


def ulps(value: float) -> str:
    """Units in the last place: one decimal while they are few."""
    return f"{float(value):.1f}" if 0 < value < 100 else number(value)


def shape(sizes: Sequence[int]) -> str:
    """'3x3x64'; a scalar is '()'."""
    return "x".join(str(size) for size in sizes) or "()"


def counted(count: int, noun: str) -> str:
    """'1 step', '2 steps'."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def percent(part: float) -> str:
    """A confidence; 'NaN' where there is none."""
    return f"{part:.0%}" if math.isfinite(part) else number(part)


def _differing(result: ParityResult, of: list[Comparison], apart: list[Comparison], largest: float) -> str:
    most = (
        f"by up to {ceiling(largest)} (relative)" if math.isfinite(largest) else "NaN or infinite in places"
    )
    failed = sum(bool(comparison.problem) for comparison in apart)
    parts = []
    if len(apart) > failed:
        since = "" if result.first_step is None else f", first at {unit(result)} {result.first_step}"
        names = [PLURALS[kind] for kind in _ordered(of)]
        parts.append(f"{len(apart) - failed} of {len(of)} {_listed(names)}{since}, {most}")
    if failed:
        parts.append(f"{failed} could not be compared")
    return ", ".join(parts) or "the two runs are not the same"


def _kinds_listed(comparisons: list[Comparison]) -> str:
    return _listed([{"fetched": "fetched value"}.get(kind, kind) for kind in _ordered(comparisons)])


def _ordered(comparisons: list[Comparison]) -> list[Kind]:
    """The kinds there are, those of `_CORE` first."""
    present = {comparison.kind for comparison in comparisons}
    return [kind for kind in (*_CORE, *(kind for kind in KINDS if kind not in _CORE)) if kind in present]


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _rank(value: float) -> float:
    return math.inf if math.isnan(value) else value

"""The words and numbers that every report of a parity result uses: the verdict in one line, counts, digits."""

from __future__ import annotations

import decimal
import math
from collections.abc import Iterable
from typing import Literal

from tf2towers.report.parity_result import Comparison, Kind, ParityResult
from tf2towers.report.paths import counted

#: in the order of a step
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
#: what a verdict speaks of, in this order; of session calls, and of training steps
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
    """What came of one comparison; one that has a `problem` is 'failed', whatever its other fields say."""
    if comparison.problem:
        return "failed"
    if comparison.bitwise:
        return "bitwise"
    return "within" if comparison.within else "differs"


def worst_first(comparisons: Iterable[Comparison]) -> list[Comparison]:
    """By verdict, then by relative difference; NaN is the worst. Equal ones keep their order."""
    return sorted(comparisons, key=lambda found: (VERDICTS.index(verdict_of(found)), -_rank(found.max_rel)))


def headline(result: ParityResult) -> str:
    """The verdict: one line.

    It speaks of the kinds that were compared alone: without gradients it does not say that they are equal.
    """
    if result.outcome == "error":
        lines = result.error.strip().splitlines()
        return f"could not be compared: {lines[0].strip() if lines else 'no reason was given'}"
    if is_empty(result):
        return f"NOTHING COMPARED: {'no values were' if result.steps else 'no training step was'} recorded"
    core = _OF_CALLS if result.calls else _OF_STEPS
    of = [found for found in result.comparisons if found.kind in core]
    if not of or (result.outcome == "differs" and all(found.within and not found.problem for found in of)):
        of = result.comparisons  # it counts other kinds as well
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
        since = "" if result.first_step is None else f", first at {unit(result)} {result.first_step}"
        parts.insert(0, f"{apart} of {len(of)} {_listed([PLURALS[kind] for kind in kinds])}{since}, {most}")
    return f"DIFFERS: {', '.join(parts) or 'the two runs are not the same'}, over {span(result)}"


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


def tally(comparisons: Iterable[Comparison]) -> list[tuple[Kind, dict[Verdict, int]]]:
    """How many of each kind have which verdict, for the kinds there are."""
    counts: dict[Kind, dict[Verdict, int]] = {}
    for comparison in comparisons:
        counts.setdefault(comparison.kind, dict.fromkeys(VERDICTS, 0))[verdict_of(comparison)] += 1
    return [(kind, counts[kind]) for kind in KINDS if kind in counts]


def ceiling(value: float) -> str:
    """Three digits, rounded up: given as a tolerance, what is shown passes."""
    if not math.isfinite(value) or not value:
        return f"{value:.3g}"
    context = decimal.Context(prec=3, rounding=decimal.ROUND_CEILING)
    # a float again, so that both kinds of numbers look the same; three digits survive that
    return f"{float(context.create_decimal_from_float(float(value))):.3g}"


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _rank(value: float) -> float:
    return math.inf if math.isnan(value) else value

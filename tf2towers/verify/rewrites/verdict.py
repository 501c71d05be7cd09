"""Verifies a rewrite by hand: its training steps against the original's, each from the original's variables."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path

import numpy as np

from tf2towers.launch.program import makes_session_calls
from tf2towers.report.parity_result import Comparison, Kind, ParityResult
from tf2towers.verify.comparison import NotComparable, Tolerances, outcome_of, tolerances
from tf2towers.verify.diagnose import diagnose
from tf2towers.verify.recording import Facts, Recording, Step, read_steps
from tf2towers.verify.result_notes import (
    is_repeatable,
    note_facts,
    note_open,
    note_side,
    open_words,
)
from tf2towers.verify.rewrites.step_comparison import compare
from tf2towers.verify.sides import Options, Recorded, record_migrated, record_original

GRADIENTS: tuple[Kind, ...] = ("input", "loss", "tower gradient", "gradient")
#: the relative rounding that is allowed where a loss was divided by the number of towers
_SHARE = 1e-6


def verify_steps(result: ParityResult, options: Options, place: Path) -> None:
    """Compares the training steps of a program of sessions with those of a program of TF 2 functions."""
    script, other, arguments = result.original.script, result.migrated.script, result.arguments
    if options.cluster is not None:
        raise NotComparable(
            f"{other.name} makes no session calls, and clusters are verified by those\n"
            "To do: verify what `migrate` writes, or run both side by side with `tf2towers compare`."
        )
    if options.legacy_python is not None:
        raise NotComparable(
            f"{other.name} makes no session calls, so it is verified on one TensorFlow, without --legacy-python\n"
            f"To do: verify what `migrate` writes of {script.name} against the real TensorFlow 1, and {other.name} "
            "against that."
        )
    of_runtime = makes_session_calls(script)
    original = record_original(script, arguments, place / "original", options, migrated=of_runtime)
    if any(next(read_steps(original.folder)).draws):
        raise NotComparable(
            f"the towers of {script.name} draw random numbers (dropout), and {other.name} draws others\n"
            "To do: verify both without. Programs that make session calls, as `migrate` writes them, draw alike."
        )
    options = dataclasses.replace(options, queues=original.folder)
    migrated = record_migrated(other, arguments, place / "migrated", options, original.folder)
    if original.steps < options.steps:
        result.notes.append(f"the original made {original.steps} training steps, not {options.steps}")
    judge(result, original, migrated, options)

    def original_again() -> str:
        again = record_original(script, arguments, place / "original-again", options, migrated=of_runtime)
        return first_apart(original, again, result.tolerance)

    def migrated_again() -> str:
        again = record_migrated(other, arguments, place / "migrated-again", options, original.folder)
        return first_apart(migrated, again, result.tolerance)

    if (
        result.outcome == "differs"
        and is_repeatable(result, result.original, original_again, open_words(original.facts.open))
        and is_repeatable(result, result.migrated, migrated_again, [])
    ):
        recordings = Recording.load(original.folder), Recording.load(migrated.folder)
        result.first_step, result.first_gradient = first_of(result.comparisons, original.facts.trainable)
        result.diagnoses = diagnose(*recordings)


def first_apart(recorded: Recorded, again: Recorded, tolerance: float) -> str:
    """Where two recordings of one program differ first; empty where they are equal."""
    count = min(recorded.steps, again.steps)
    steps, others = (islice(read_steps(side.folder), count) for side in (recorded, again))
    found = compare(steps, others, Tolerances(tolerance, tolerance))
    apart = [(min(each.differences), each) for each in found if not each.within]
    if not apart:
        return ""
    step, first = min(apart, key=lambda each: each[0])
    how = first.problem or f"differs by {first.differences[step]:.3g} (relative)"
    return f"step {step}: {first.kind} {first.name} {how}"


def judge(
    result: ParityResult, original: Recorded, migrated: Recorded, options: Options | None = None
) -> None:
    """Compares two recordings, and stores the comparisons and the outcome in `result`.

    Raises:
        NotComparable: one of them is without steps, or their numbers of steps differ.
    """
    options = options or Options()
    note_side(result.original, original)
    note_side(result.migrated, migrated)
    result.steps, result.towers = original.steps, original.facts.towers
    tensorflows = original.facts.tensorflow, migrated.facts.tensorflow
    limits, rule = tolerances(options.tolerance, tensorflows, original.facts.towers, lockstep=True)
    result.tolerance = limits.gradients
    kinds = GRADIENTS if options.gradients_only else (*GRADIENTS, "variable")
    first, its_first = next(read_steps(original.folder)), next(read_steps(migrated.folder))
    share = share_of(first, its_first, original.facts)
    if share > 1:
        result.notes.append(
            f"each replica's loss is 1/{share} of its tower's, and the optimizer sums: compared as {share} times it"
        )
    steps = read_steps(original.folder), read_steps(migrated.folder)
    result.comparisons = compare(*steps, limits, kinds, share)
    note_open(result, original.facts.open)
    note_facts(result, original.facts, migrated.facts)
    result.outcome = outcome_of(result.comparisons)
    if result.outcome == "within" and rule:
        result.notes.append(rule)


def first_of(comparisons: Iterable[Comparison], trainable: Sequence[str]) -> tuple[int | None, str]:
    """The first step at which anything differs; and of the gradients that differ there, the one nearest to the loss."""
    apart = [found for found in comparisons if not found.within and found.first_step is not None]
    first = min((found.first_step for found in apart if found.first_step is not None), default=None)
    order = {name: place for place, name in enumerate(trainable)}
    names = {
        found.name.split("//")[0] for found in apart if (found.kind, found.first_step) == ("gradient", first)
    }
    return first, max(names, key=lambda name: (order.get(name, -1), name), default="")


def share_of(original: Step, migrated: Step, facts: Facts) -> int:
    """The number of towers, where each replica's loss is divided by that number; else 1.

    An optimizer that sums over the replicas, as Keras 3's does, needs losses divided by their number. The applied
    gradient is the mean all the same, and is compared unchanged.
    """
    towers = len(original.losses)
    if towers < 2 or towers != facts.towers or len(migrated.losses) != towers:
        return 1
    left, right = np.array(original.losses, np.float64), np.array(migrated.losses, np.float64)
    with np.errstate(all="ignore"):
        return towers if np.allclose(left, right * towers, rtol=_SHARE, atol=0) and left.any() else 1

"""Whether a migrated trainer is the same trainer: run, replay, compare, diagnose."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path

from tf2towers.report.parity_result import Kind, ParityResult
from tf2towers.verify.calls.verdict import verify_calls
from tf2towers.verify.compare import NotComparable, Tolerances, compare, outcome_of, share_of, tolerances
from tf2towers.verify.explain import explain
from tf2towers.verify.process import RunFailed
from tf2towers.verify.program import makes_session_calls
from tf2towers.verify.recording import Facts, Recording, Step, read_steps
from tf2towers.verify.result_notes import new_result, note_facts, note_losses, note_open, note_side, under_way
from tf2towers.verify.rounding import tell_rounding
from tf2towers.verify.sides import Options, Recorded, record_migrated, record_original

#: The order of the sum. An all-reduce adds more than two towers in another order than concat and reduce_mean: 1.5e-7 of
#: the largest element at 4 and 8 towers (docs/semantics.md); an update carries it on.
SUM_ORDER = Tolerances(gradients=1e-6, variables=1e-6)
#: Another TensorFlow: kernels round otherwise. 2e-6 of the largest element for this project's network between 1.15 and
#: 2.21. An update that divides by a gradient's own size (Adam, RMSProp) makes more of it where that is next to zero.
OTHER_TENSORFLOW = Tolerances(gradients=1e-5, variables=1e-3)

GRADIENTS: tuple[Kind, ...] = ("input", "loss", "tower gradient", "gradient")


def verify(
    legacy: Path,
    migrated: Path,
    arguments: Sequence[str] = (),
    options: Options | None = None,
    work: Path | None = None,
) -> ParityResult:
    """Runs both scripts and compares them: their session calls, or their training steps.

    Args:
        legacy: the TF1 script.
        migrated: the TF2 one.
        arguments: the command line of both.
        options: how they are run and compared.
        work: where the recordings stay; None: nowhere.

    Returns:
        The verdict; its outcome is 'error' where a script could not be run or compared.
    """
    result = new_result(legacy, migrated, arguments)
    options = dataclasses.replace(options or Options(), beside=legacy.parent)
    with under_way(result, options, work) as (place, how):
        result.tolerance = how.tolerance or 0.0
        (verify_calls if makes_session_calls(migrated) else verify_steps)(result, how, place)
    return result


def verify_steps(result: ParityResult, options: Options, place: Path) -> None:
    """The training steps of a program of sessions against those of one of TF 2 functions."""
    if options.cluster is not None:
        raise NotComparable(
            "a cluster is verified where both sides make session calls, as `migrate` writes them; "
            f"{result.migrated.script.name} makes none. `tf2towers compare` runs both side by side"
        )
    script, its, arguments = result.original.script, result.migrated.script, result.arguments
    of_runtime = makes_session_calls(script)
    original = record_original(script, arguments, place / "original", options, migrated=of_runtime)
    options.check_towers(original.facts.towers)
    options = dataclasses.replace(options, queues=original.folder)
    migrated = record_migrated(its, arguments, place / "migrated", options, original.folder)
    if original.steps < options.steps:
        result.notes.append(f"the original made {original.steps} training steps, not {options.steps}")
    judge(result, original, migrated, options)
    if result.outcome == "differs" and options.tolerance is None and options.lockstep:
        limits, rule = _tolerances(None, original.facts, migrated.facts)
        share = share_of(_first(original), _first(migrated), original.facts)
        tell_rounding(result, options, place / "original-float64", original, migrated, limits, share)
        result.outcome = outcome_of(result.comparisons)
        if result.outcome == "within" and rule:
            result.notes.append(rule)
    if result.outcome == "differs":
        _look_closer(result, options, place, original, migrated)


def judge(
    result: ParityResult,
    original: Recorded,
    migrated: Recorded,
    options: Options | None = None,
) -> None:
    """Compares two recordings, and writes what came of it into `result`.

    Raises:
        NotComparable: one of them has no steps, or not as many as the other.
    """
    options = options or Options()
    note_side(result.original, original)
    note_side(result.migrated, migrated)
    result.steps, result.towers = original.steps, original.facts.towers
    limits, rule = _tolerances(options.tolerance, original.facts, migrated.facts)
    result.tolerance = limits.gradients
    kinds = GRADIENTS if options.gradients_only else (*GRADIENTS, "variable", "summary")
    share = share_of(_first(original), _first(migrated), original.facts)
    if share > 1:
        result.notes.append(
            f"each replica's loss is 1/{share} of its tower's, and the optimizer sums: compared as {share} times it"
        )
    steps = read_steps(original.folder), read_steps(migrated.folder)
    result.comparisons = compare(*steps, limits, kinds, share)
    note_losses(result, original, migrated, share)
    note_open(result, original.facts.open)
    note_facts(result, original.facts, migrated.facts)
    result.outcome = outcome_of(result.comparisons)
    if result.outcome == "within" and rule:
        result.notes.append(rule)


def _first(recorded: Recorded) -> Step:
    return next(read_steps(recorded.folder))


def _tolerances(given: float | None, original: Facts, migrated: Facts) -> tuple[Tolerances, str]:
    tensorflows = original.tensorflow, migrated.tensorflow
    return tolerances(given, tensorflows, original.towers, SUM_ORDER, OTHER_TENSORFLOW)


def _look_closer(
    result: ParityResult, options: Options, place: Path, original: Recorded, migrated: Recorded
) -> None:
    """What differs first, and why: a second run of both notes the forward pass as well."""
    differing = [found.first_step for found in result.comparisons if found.first_step is not None]
    deep = dataclasses.replace(options, layers=True, steps=min(min(differing, default=0) + 1, original.steps))
    recordings = Recording.load(original.folder), Recording.load(migrated.folder)
    script, its, arguments = result.original.script, result.migrated.script, result.arguments
    try:
        of_runtime = makes_session_calls(script)
        again = record_original(script, arguments, place / "original-layers", deep, migrated=of_runtime)
        other = record_migrated(its, arguments, place / "migrated-layers", deep, again.folder)
    except RunFailed as problem:
        result.notes.append(f"the forward pass could not be looked at: {str(problem).splitlines()[0]}")
    else:
        for recording, layered in zip(recordings, (again, other), strict=True):
            recording.facts.layer_types = layered.facts.layer_types
            for step, found in zip(recording.steps, read_steps(layered.folder), strict=False):
                step.layers = found.layers
    explain(result, *recordings, options.lockstep)

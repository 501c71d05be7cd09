"""Whether a migrated trainer is the same trainer: run, replay, compare, diagnose."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path

from tf2towers.launch.cluster import Shape
from tf2towers.report.parity_result import Kind, ParityResult
from tf2towers.verify.average_order import Order
from tf2towers.verify.cluster.sides import record_side
from tf2towers.verify.compare import NotComparable, Tolerances, compare, outcome_of, share_of, tolerances
from tf2towers.verify.diagnose import diagnose, first_differences
from tf2towers.verify.process import RunFailed
from tf2towers.verify.recording import Facts, Recording, Step, read_steps
from tf2towers.verify.result_notes import new_result, note_facts, note_losses, note_side, under_way
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
    """Runs both scripts and compares them.

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
    with under_way(result, options, work) as (place, how):
        result.tolerance = how.tolerance or 0.0
        if how.cluster is not None:
            _verify_cluster(result, how, how.cluster, place)
        else:
            _verify(result, how, place)
    return result


def _verify(result: ParityResult, options: Options, place: Path) -> None:
    script, its, arguments = result.original.script, result.migrated.script, result.arguments
    original = record_original(script, arguments, place / "original", options)
    options.check_towers(original.facts.towers)
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


def _verify_cluster(result: ParityResult, options: Options, shape: Shape, place: Path) -> None:
    # workers hand in their gradients in their order: so they are added on both sides
    options = dataclasses.replace(options, tower_order=options.tower_order or shape.workers > 2)
    script, its, arguments = result.original.script, result.migrated.script, result.arguments
    original = record_side("legacy", script, arguments, place / "original", options)
    migrated = record_side("migrated", its, arguments, place / "migrated", options, original)
    if original.steps != migrated.steps:
        raise NotComparable(f"{original.steps} updates of the original against {migrated.steps}")
    judge(result, original, migrated, options, own_times=original.facts.towers > 1)
    result.notes.append(
        "synchronous workers hand in their gradients in their order"
        if result.towers > 1
        else "asynchronous workers take their steps in turns, on both sides, in the same order"
    )
    if result.outcome == "differs":
        explain(result, Recording.load(original.folder), Recording.load(migrated.folder), options.lockstep)


def judge(
    result: ParityResult,
    original: Recorded,
    migrated: Recorded,
    options: Options | None = None,
    own_times: bool = False,
) -> None:
    """Compares two recordings, and writes what came of it into `result`; `own_times`: see `compare`.

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
    order = Order(original.facts.unordered_averages)
    mine = order.of(read_steps(original.folder), read_steps(migrated.folder))
    result.comparisons = compare(mine, read_steps(migrated.folder), limits, kinds, share, own_times)
    if order.other:
        result.notes.append(
            f"rule 'order left open': the original updates {len(original.facts.unordered_averages)} moving averages in "
            f"no order with their variables; {len(order.other)} of them came in another order here, and are compared "
            "with what the migrated script's order makes of the original's values"
        )
    if own_times and not options.gradients_only:
        steps = zip(read_steps(original.folder), read_steps(migrated.folder), strict=True)
        lone = sum(bool(step.summaries) != bool(its.summaries) for step, its in steps)
        if lone:
            result.notes.append(
                f"summaries of {lone} steps were fetched on one side alone: a script that counts its session calls has "
                "one more in TF1, whose second synchronous step is dropped; they are compared at the other steps"
            )
    if order.shared:
        result.notes.append(
            f"rule 'every worker in turn': each worker of the original moves {len(order.shared)} averages that they "
            "share (a batch norm's statistics), in no order; they are compared with the mean of what each makes alone"
        )
    note_losses(result, original, migrated, share)
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
        again = record_original(script, arguments, place / "original-layers", deep)
        other = record_migrated(its, arguments, place / "migrated-layers", deep, again.folder)
    except RunFailed as problem:
        result.notes.append(f"the forward pass could not be looked at: {str(problem).splitlines()[0]}")
    else:
        for recording, layered in zip(recordings, (again, other), strict=True):
            recording.facts.layer_types = layered.facts.layer_types
            for step, found in zip(recording.steps, read_steps(layered.folder), strict=False):
                step.layers = found.layers
    explain(result, *recordings, options.lockstep)


def explain(result: ParityResult, original: Recording, migrated: Recording, lockstep: bool) -> None:
    """Writes into `result` what differs first, and why."""
    order = Order(original.facts.unordered_averages)
    original = dataclasses.replace(original, steps=list(order.of(original.steps, migrated.steps)))
    result.first_step, result.first_layer, result.first_gradient = first_differences(original, migrated)
    result.diagnoses = diagnose(original, migrated, lockstep)

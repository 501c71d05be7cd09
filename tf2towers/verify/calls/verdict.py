"""Verifies that a migrated script is the same program: runs both, compares every session call, and notes the rest."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tf2towers.launch.program import makes_session_calls
from tf2towers.report.parity_result import Diagnosis, ParityResult, Place
from tf2towers.report.parity_text import PLURALS
from tf2towers.report.paths import counted, listed
from tf2towers.verify.calls.call_comparison import Compared, Difference, Judge, Run, compare, within
from tf2towers.verify.calls.rounding import FAR_MOVES, MOVES, Rounding
from tf2towers.verify.comparison import SUM_ORDER, Tolerances, outcome_of, tolerances
from tf2towers.verify.diagnose import diagnose
from tf2towers.verify.process import RunFailed
from tf2towers.verify.recording import Recording, already_there
from tf2towers.verify.result_notes import (
    is_repeatable,
    note_open,
    note_rounding,
    open_words,
)
from tf2towers.verify.sides import Options, record_calls, record_original


def verify_calls(result: ParityResult, options: Options, place: Path) -> None:
    """Runs both scripts, each from its beginning, and compares every session call.

    Where they differ, both are run a second time, and each is compared with itself. Then the steps are searched for a
    mistake that explains the difference.
    """
    script, other_script, arguments = result.original.script, result.migrated.script, result.arguments
    of_runtime = makes_session_calls(script)
    original = record_calls(script, arguments, place / "original", options, migrated=of_runtime)
    options = dataclasses.replace(options, queues=place / "original")
    migrated = record_calls(other_script, arguments, place / "migrated", options, migrated=True)
    judge(result, original, migrated, options)
    if result.outcome == "differs" and result.is_across_versions and original.changed:
        result.outcome, result.diagnoses = "error", []
        result.error = (
            f"the values differ, and TensorFlow {original.tensorflow} and {migrated.tensorflow} compute this "
            f"differently: {'; '.join(original.changed)}. Without --legacy-python both run on one TensorFlow"
        )
    alone = original.folders == [place / "original"]
    across = result.is_across_versions and options.tolerance is None
    limits, rule = _limits(original, result.migrated.tensorflow, options)
    if result.outcome == "differs" and "order of the sum" in rule:
        _judge_in_tower_order(result, options, place, original)
    if (
        result.outcome == "differs"
        and alone
        and not (of_runtime or result.is_across_versions or limits.gradients)
    ):
        _judge_with_resources(result, options, place, original, migrated)
    if result.outcome == "differs" and across:
        _judge_in_step(result, options, place, original)

    def original_again() -> str:
        again = record_calls(script, arguments, place / "original-again", options, migrated=of_runtime)
        return first_apart(original, again, limits)

    def migrated_again() -> str:
        again = record_calls(other_script, arguments, place / "migrated-again", options, migrated=True)
        return first_apart(migrated, again, limits)

    if (
        result.outcome == "differs"
        and is_repeatable(result, result.original, original_again, _open_in(original))
        and is_repeatable(result, result.migrated, migrated_again, _open_in(migrated))
        and alone
    ):
        result.diagnoses = [*_mistakes(result, options, place), *result.diagnoses]


def first_apart(run: Run, again: Run, limits: Tolerances | None = None) -> str:
    """Where two recordings of one script differ first; empty where they are equal."""
    judged = within(limits or Tolerances())
    found = compare(run, again, judged, run.written_by_threads | again.written_by_threads)
    if (first := found.first) is not None:
        values = _values(*first.values, ("in one run", "in the other"))
        call = first.original
        return f"first at session call {call.number} ({call.place}): {first.kind} {first.name}: {values}"
    return "the two runs make other session calls, or other errors end them" if found.problem else ""


def _open_in(run: Run) -> list[str]:
    """What a script leaves open, in words: the order of accesses, a queue's elements, its threads' calls, Python."""
    return [
        *open_words(run.open),
        *(f"the elements of {name}, because {why}" for name, why in run.chance.items()),
        *[f"what its Python functions do ({listed(run.python_functions, 4)})"] * bool(run.python_functions),
        *[f"when its threads make their {counted(run.of_threads, 'call')}"] * bool(run.of_threads),
    ]


def _judge_in_tower_order(result: ParityResult, options: Options, place: Path, original: Run) -> None:
    """Judges again two runs that may differ only by the order in which the towers are added up.

    A gradient that is 0 in exact arithmetic, as of a bias before a batch norm, is the rounding alone. So the migrated
    script is run once more, with the sums in TF1's order: where every bit is equal then, the order made the difference.
    """
    how = dataclasses.replace(options, tower_order=True)
    script, arguments = result.migrated.script, result.arguments
    migrated = record_calls(script, arguments, place / "migrated-in-tower-order", how, migrated=True)
    left_out = original.written_by_threads | migrated.written_by_threads
    found = compare(original, migrated, None, left_out)
    if found.problem or outcome_of(found.comparisons) != "bitwise":
        return
    result.outcome, result.first_step, result.diagnoses = "within", None, []
    result.comparisons = [
        each if each.within else dataclasses.replace(each, within=True, rounding=True)
        for each in result.comparisons
    ]
    result.notes.insert(
        0,
        f"rule 'order of the sum': {original.towers} towers are added up in another order than in TF1, and some "
        "values are rounding alone. Added as in TF1, every bit is equal: that was run, too",
    )


def _judge_with_resources(
    result: ParityResult, options: Options, place: Path, original: Run, migrated: Run
) -> None:
    """Judges again two runs that may differ only by the order in which a gradient's terms are added up.

    TF1's variable is one tensor for all its uses, and a resource has a read for each. So where an operation and a
    gradient use one read, as in a gradient penalty, two terms are added before the others. The original is run once
    more with resources: where all that differs is equal then, and was next to equal before, that made the difference.
    What was equal need not be: a resource that is fetched beside its update is read before it.
    """
    left_out = original.written_by_threads | migrated.written_by_threads
    near = compare(original, migrated, within(SUM_ORDER[False]), left_out)
    if near.problem or outcome_of(near.comparisons) != "within":
        return
    how = dataclasses.replace(options, resources=True)
    script, arguments = result.original.script, result.arguments
    with contextlib.suppress(RunFailed, TimeoutError):
        other = record_calls(script, arguments, place / "original-with-resources", how, migrated=False)
        same = compare(other, migrated, None, left_out)
        equal = {(each.kind, each.name) for each in same.comparisons if each.bitwise}
        apart = {(each.kind, each.name) for each in near.comparisons if not each.bitwise}
        if same.problem or not apart <= equal:
            return
        result.outcome, result.first_step, result.diagnoses = "within", None, []
        result.comparisons, result.tolerance = near.comparisons, SUM_ORDER[False].gradients
        result.notes.insert(
            0,
            "rule 'order of a gradient's terms': the terms of a variable that is used several times are added up in "
            f"another order than in TF1; within {result.tolerance:g} of the largest element. With resource variables "
            "in the original every bit of these is equal: that was run, too",
        )


def _judge_in_step(result: ParityResult, options: Options, place: Path, original: Run) -> None:
    """Judges again two runs that may differ only by the rounding of another TensorFlow, call by call.

    An update may turn rounding into whole steps (Adam, where a gradient is near 0), which makes the runs differ more
    and more. So the migrated script makes each call from the original's variables, and how much rounding makes of the
    call is measured (see `rounding`).
    """
    script, arguments = result.original.script, result.arguments
    of_runtime, moved = makes_session_calls(script), list[Run]()
    how = dataclasses.replace(options, in_step=place / "original")
    try:
        migrated = record_calls(
            result.migrated.script, arguments, place / "migrated-in-step", how, migrated=True
        )
        for moves in (MOVES, FAR_MOVES):
            for move in moves:
                rounded, folder = dataclasses.replace(how, rounding=move), place / f"original-rounded-{move}"
                moved.append(record_calls(script, arguments, folder, rounded, migrated=of_runtime))
            rounding = Rounding(original, migrated, moved)
            result.notes, result.diagnoses, result.first_step, result.first_places = [], [], None, []
            judge(result, original, migrated, options, rounding, moved)
            if result.outcome != "differs":
                break
    except RunFailed as problem:
        result.notes.append(f"rounding could not be measured: {str(problem).splitlines()[0]}")
        return
    if rounding.found or result.outcome != "differs":
        note_rounding(result, rounding.found)
    if result.outcome == "differs":
        result.notes.append(
            "two TensorFlows round differently: without --legacy-python both sides run on one"
        )


def _mistakes(result: ParityResult, options: Options, place: Path) -> list[Diagnosis]:
    """The mistakes that explain a difference.

    Both programs run once more, and the values of their training steps are recorded. Each step of the migrated script
    starts from the original's variables.
    """
    how = dataclasses.replace(options, steps=min(options.steps, 4), continuous=True)
    original, migrated = place / "original-steps", place / "migrated-steps"
    script, of_runtime = result.original.script, makes_session_calls(result.original.script)
    in_step = dataclasses.replace(how, in_step=original)
    try:
        record_original(script, result.arguments, original, how, migrated=of_runtime)
        record_original(result.migrated.script, result.arguments, migrated, in_step, migrated=True)
    except RunFailed as problem:
        result.notes.append(f"the cause could not be searched: {str(problem).splitlines()[0]}")
        return []
    return diagnose(Recording.load(original), Recording.load(migrated))


def judge(
    result: ParityResult,
    original: Run,
    migrated: Run,
    options: Options | None = None,
    judged: Judge | None = None,
    moved: Sequence[Run] = (),
) -> None:
    """Compares two runs, and stores the comparisons and the outcome in `result`.

    Args:
        judged: judges what differs, in a migrated run whose calls start from the original's variables; None: the
            tolerances do.
        moved: recordings of the original whose weights were moved by rounding, as of `Rounding`.
    """
    limits, rule = _limits(original, migrated.tensorflow, options or Options())
    wanted = 0 if options is None else options.steps * len(original.folders)
    left_out = original.written_by_threads | migrated.written_by_threads
    found = compare(original, migrated, judged or within(limits), left_out, moved)
    for side, run in ((result.original, original), (result.migrated, migrated)):
        side.tensorflow, side.python, side.seconds = run.tensorflow, run.python, run.seconds
    result.calls, result.steps, result.towers = original.calls, original.trained, original.towers
    result.tolerance, result.comparisons = limits.gradients, found.comparisons
    result.outcome = outcome_of(found.comparisons)
    if result.outcome == "within" and rule and judged is None:
        result.notes.append(rule)
    if found.first is not None:
        first = found.first
        result.first_step = first.original.number
        result.first_places = [Place(call.file, call.line) for call in (first.original, first.migrated)]
        result.diagnoses.append(_first(first, found))
    if found.problem:
        result.outcome = "differs"
        result.diagnoses.append(Diagnosis("other session calls", found.problem + "."))
    if (there := already_there(original.restored)) and original.optimizers and original.trained < wanted:
        result.notes.append(f"{counted(original.trained, 'training step')} of {wanted}: {there}")
    note_open(result, original.open)
    _note_queues(result, original, migrated)
    if migrated.of_original:
        result.notes.append(
            f"the migrated script imports files of the original's folder: {', '.join(migrated.of_original[:4])}"
        )
    _note_the_rest(result, found, original, migrated)


def _limits(original: Run, tensorflow: str, options: Options) -> tuple[Tolerances, str]:
    """What may differ between runs of session calls, and the rule for it, where the migrated one is on `tensorflow`."""
    towers = 0 if options.tower_order else original.towers
    return tolerances(options.tolerance, (original.tensorflow, tensorflow), towers, lockstep=False)


def _note_queues(result: ParityResult, original: Run, migrated: Run) -> None:
    """Notes the queues whose order is random; differences caused by them do not count as the migration's."""
    lost = sorted({*original.lost, *migrated.lost})
    if lost and result.outcome == "differs":
        result.outcome = "error"
        result.error = (
            f"the original's threads make other batches in each run ({_why(lost, original)})\n"
            "What the main thread takes there could not be given to the migrated script: a call in a branch, in a "
            "loop, or one that the original did not make.\n"
            "To do: fill the queue with one thread in both scripts (num_threads=1, no shuffling), and verify again."
        )
        return
    apart = [
        name for name, value in original.constants.items() if migrated.constants.get(name, value) != value
    ]
    if apart:
        result.outcome = "differs"
        message = (
            f"ops that fill the queues have another constant in the migrated script: {', '.join(apart[:4])}."
        )
        result.diagnoses.append(Diagnosis("other input", message))
    if original.chance:
        result.notes.append(
            "the elements that the original took from queues in random order were given to the migrated script "
            f"({_why(sorted(original.chance), original)}). Of the ops that fill them, only constants are compared"
        )


def _why(names: Sequence[str], original: Run) -> str:
    return listed([f"{name}: {original.chance.get(name, 'open')}" for name in names], 4)


def _note_the_rest(result: ParityResult, found: Compared, original: Run, migrated: Run) -> None:
    """Notes what was not compared. Where that may have changed variables that are compared, there is no parity."""
    if found.hooks_apart:
        result.notes.append(
            f"hooks fetched other things in {counted(found.hooks_apart, 'call')}, at times of their own: only what the "
            "script fetched is compared there"
        )
    for side, run in (("the original", original), ("the migrated script", migrated)):
        if run.of_threads:
            changed = ", ".join(sorted(run.written_by_threads)) or "no variable"
            calls = counted(run.of_threads, "call")
            result.notes.append(f"not compared: {calls} of {side}'s threads; they change {changed}")
    shared = sorted(original.shared | migrated.shared)
    if shared and result.outcome in ("bitwise", "within"):
        result.outcome = "error"
        result.error = (
            f"calls of threads change {listed(shared, 4)}, which the main thread's calls use, in no fixed order\n"
            "What could be compared is equal, but no such run can be repeated.\n"
            "To do: make these calls in the main thread of both scripts, and verify again."
        )


# -- the first difference ----------------------------------------------------------------------------------------------


def _first(first: Difference, found: Compared) -> Diagnosis:
    original, migrated = first.original, first.migrated
    others = [
        f"{more} other {kind if more == 1 else PLURALS[kind]}"
        for kind, count in found.beside.items()
        if (more := count - (kind == first.kind))
    ]
    message = (
        f"session call {original.number} ({original.place} of the original; {migrated.place} of the migrated script): "
        f"{first.kind} {first.name}: {_values(*first.values)}"
    )
    if others:
        message += f". In the same call: {', '.join(others)}"
    return Diagnosis("first difference", message + ".", "", original.number)


def _values(
    one: np.ndarray | None,
    two: np.ndarray | None,
    sides: tuple[str, str] = ("in the original", "in the migrated script"),
) -> str:
    in_one, in_two = sides
    if one is None or two is None:
        return f"only {in_two if one is None else in_one}"
    if one.shape != two.shape or one.dtype != two.dtype:
        return f"{one.dtype}{list(one.shape)} {in_one}, {two.dtype}{list(two.shape)} {in_two}"
    if one.dtype == np.uint8:
        return f"{one.tobytes()[:60]!r} {in_one}, {two.tobytes()[:60]!r} {in_two}"
    alike = one == two
    if one.dtype.kind in "fc":
        alike |= np.isnan(one) & np.isnan(two)
    apart = np.flatnonzero(~alike)
    place = np.unravel_index(apart[0], one.shape)
    at = f" at {[int(index) for index in place]}" if one.ndim else ""
    text = f"{one[place]!s} {in_one}, {two[place]!s} {in_two}{at}"
    if one.ndim:
        text += f"; {apart.size} of {one.size} elements differ"
    return text

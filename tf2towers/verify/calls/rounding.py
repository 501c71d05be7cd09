"""Finds differences that are only rounding: gradients that are 0 in exact arithmetic, as float64 shows."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from tf2towers.launch.program import makes_session_calls
from tf2towers.report.parity_result import Comparison, Kind, ParityResult
from tf2towers.verify.comparison import Tolerances, compare
from tf2towers.verify.process import RunFailed
from tf2towers.verify.recorder.variables import belongs_to
from tf2towers.verify.recording import Recording, Step, dense
from tf2towers.verify.sides import Options, record_original

#: a gradient counts as 0 in exact arithmetic if its size in float64 is at most this part of that in float32
_NOTHING = 2.0**-18
#: the largest ratio of the sizes of two roundings of one such gradient
_ALIKE = 16.0


def record_steps_of_both(
    result: ParityResult, options: Options, place: Path, *, double: bool
) -> tuple[Recording, Recording] | None:
    """Runs two programs of sessions once more, and records the values of their training steps.

    Each step of the migrated script starts from the original's variables.

    Args:
        double: whether the original's gradients are also computed in float64.

    Returns:
        Both recordings; None where a run fails, which a note reports.
    """
    how = dataclasses.replace(options, steps=min(options.steps, 4), continuous=True)
    original, migrated = place / "original-steps", place / "migrated-steps"
    script, of_runtime = result.original.script, makes_session_calls(result.original.script)
    exact = dataclasses.replace(how, double=double)
    in_step = dataclasses.replace(how, in_step=original)
    try:
        record_original(script, result.arguments, original, exact, migrated=of_runtime)
        record_original(result.migrated.script, result.arguments, migrated, in_step, migrated=True)
    except RunFailed as problem:
        result.notes.append(f"the cause could not be searched: {str(problem).splitlines()[0]}")
        return None
    return Recording.load(original), Recording.load(migrated)


def gradients_of_rounding(original: Iterable[Step], migrated: Iterable[Step]) -> set[str]:
    """The variables whose gradients are 0 in exact arithmetic: both sides' values are rounding, of about one size.

    Examples are a bias before a batch norm and the bias of attention's keys. Adam makes whole steps of such gradients,
    in different directions on both sides; nothing else in the program depends on those variables. The sizes are the
    largest of all steps: in one of them a sum may happen to be 0 on one side.
    """
    sizes: dict[str, list[float]] = {}
    for step, match in zip(original, migrated, strict=False):
        for name, exact in step.gradients64.items():
            of_step = (exact, step.gradients[name], match.gradients.get(name))
            known = sizes.get(name, [0.0, 0.0, 0.0])
            sizes[name] = [max(size, _largest(value)) for size, value in zip(known, of_step, strict=True)]
    return {
        name
        for name, (exactly, own, other) in sizes.items()
        if own and exactly <= _NOTHING * own and other <= _ALIKE * own
    }


# -- an update of rounding: Adam, for one, divides a gradient by its own size ------------------------------------------
# An element of a variable, or of its slots and averages, is rounding where its gradient is within the tolerance, and
#     |migrated - original| <= min(most, TIMES * r) * (the largest change of the variable by any step of the original)
#     r: the relative difference of its gradient's element, |migrated - original| / |the original's in float64|
#     most: 1 + TIMES for a weight, whose update grows at most with the gradient; 1 + TIMES ** 2 for the rest, which may
#         grow with its square (Adam's second moment).
#
# So a weight whose gradient is more than rounding may only differ by the effect of its gradient's own difference.
# Another learning rate or epsilon is still reported as a difference.

TIMES = 4.0


def compare_steps_of_rounding(
    original: Recording, migrated: Recording, limits: Tolerances
) -> tuple[list[Comparison], list[str]]:
    """Compares steps that start from the same variables, on two TensorFlows; rounding counts as within tolerance.

    Returns:
        The comparisons; and the names of the variables whose gradients, or elements of them, are rounding.

    Raises:
        NotComparable: see `step_comparison.compare`.
    """
    noise = gradients_of_rounding(original.steps, migrated.steps)
    kinds: tuple[Kind, ...] = ("input", "loss", "tower gradient", "gradient", "variable")
    found = compare(original.steps, migrated.steps, limits, kinds, noise=noise)
    names = set(noise)
    for place, each in enumerate(found):
        if each.kind in ("gradient", "tower gradient") and not each.within and not each.problem:
            name = each.name.rpartition(": ")[2]
            if _is_as_exact(name, original.steps, migrated.steps, limits):
                found[place] = dataclasses.replace(each, within=True, rounding=True)
                names.add(name)
    apart = {each.name for each in found if each.kind == "gradient" and not each.within}
    for place, each in enumerate(found):
        owner = owner_of(each.name, original.facts.trainable)
        if each.within or each.problem or each.kind != "variable" or owner is None or owner in apart:
            continue
        if _is_update_of_rounding(each.name, owner, original.steps, migrated.steps, limits):
            found[place] = dataclasses.replace(each, within=True, rounding=True)
            names.add(owner)
    return found, sorted(names)


def _is_as_exact(name: str, original: Sequence[Step], migrated: Sequence[Step], limits: Tolerances) -> bool:
    """True if a gradient is in each step as near to the exact one as the original's, whose terms cancel out.

    As near is within the tolerance, or at most TIMES the original's own rounding away.
    """
    for step, match in zip(original, migrated, strict=True):
        own, exact = step.gradients.get(name), step.gradients64.get(name)
        other = match.gradients.get(name)
        if own is None or other is None or exact is None or not own.shape == other.shape == exact.shape:
            return False
        error = max(TIMES * _largest(own - exact), limits.gradients * _largest(own))
        if not _largest(other - exact) <= error:
            return False
    return True


def owner_of(name: str, trainable: Iterable[str]) -> str | None:
    """The trained variable that a variable is, or is a slot or average of; None for others, such as a moving mean."""
    return max((owner for owner in trainable if belongs_to(name, [owner])), key=len, default=None)


def _is_update_of_rounding(
    name: str, owner: str, original: Sequence[Step], migrated: Sequence[Step], limits: Tolerances
) -> bool:
    change = max(_largest(step.after[name] - step.variables[name]) for step in original)
    most = 1 + (TIMES if name == owner else TIMES**2)
    for step, match in zip(original, migrated, strict=True):
        apart = np.abs(match.after[name].astype(np.float64) - step.after[name])
        if _largest(apart) <= limits.variables * _largest(step.after[name]):
            continue
        shape = {owner: step.variables[owner].shape}
        rows = {key: value for key, value in step.gradients.items() if key.endswith("//indices")}
        sides = step.gradients, match.gradients, {**step.gradients64, **rows}
        left, right, exact = (dense(gradients, shape).get(owner) for gradients in sides)
        if left is None or right is None or exact is None or exact.shape != apart.shape:
            return False
        with np.errstate(divide="ignore", invalid="ignore"):
            relative = np.where(right == left, 0.0, np.abs(right.astype(np.float64) - left) / np.abs(exact))
        ulp = np.spacing(np.float32(_largest(step.after[name])))
        if not np.all(apart <= np.minimum(most, TIMES * relative) * change + 4 * ulp):
            return False
    return True


def _largest(value: np.ndarray | None) -> float:
    return float("inf") if value is None else float(np.max(np.abs(value), initial=0.0))

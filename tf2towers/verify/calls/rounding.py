"""Judges steps on two TensorFlows one by one: a difference counts as rounding where rounding alone makes as much.

How much it makes of a gradient is measured in the original (`recorder.noise`), by element, in float32's last place.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from tf2towers.launch.program import makes_session_calls
from tf2towers.report.parity_result import Comparison, Kind, ParityResult
from tf2towers.verify.comparison import Tolerances, compare, largest_of, norm_of
from tf2towers.verify.process import RunFailed
from tf2towers.verify.recorder.variables import belongs_to
from tf2towers.verify.recording import Recording, Step, dense
from tf2towers.verify.sides import Options, record_original

#: how much more than was measured counts as rounding; it was measured three times, with the weights' rounding alone
TIMES = 4.0
#: the largest ratio of the sizes of two gradients that are rounding
_ALIKE = 16.0


def record_steps_of_both(
    result: ParityResult, options: Options, place: Path, *, noise: bool
) -> tuple[Recording, Recording] | None:
    """Runs two programs of sessions once more, and records the values of their training steps.

    Each step of the migrated script starts from the original's variables.

    Args:
        noise: whether it is measured how far rounding moves the original's gradients.

    Returns:
        Both recordings; None where a run fails, which a note reports.
    """
    how = dataclasses.replace(options, steps=min(options.steps, 4), continuous=True)
    original, migrated = place / "original-steps", place / "migrated-steps"
    script, of_runtime = result.original.script, makes_session_calls(result.original.script)
    measured = dataclasses.replace(how, noise=noise)
    in_step = dataclasses.replace(how, in_step=original)
    try:
        record_original(script, result.arguments, original, measured, migrated=of_runtime)
        record_original(result.migrated.script, result.arguments, migrated, in_step, migrated=True)
    except RunFailed as problem:
        result.notes.append(f"the cause could not be searched: {str(problem).splitlines()[0]}")
        return None
    return Recording.load(original), Recording.load(migrated)


def compare_steps_of_rounding(
    original: Recording, migrated: Recording, limits: Tolerances
) -> tuple[list[Comparison], dict[str, float]]:
    """Compares steps that start from the same variables, on two TensorFlows; rounding counts as within tolerance.

    Returns:
        The comparisons; and of the variables whose gradients, or elements of them, are rounding, the largest relative
        difference that rounding alone makes.

    Raises:
        NotComparable: see `comparison.compare`.
    """
    sides = original.steps, migrated.steps
    nothing = gradients_of_rounding(*sides)
    kinds: tuple[Kind, ...] = ("input", "loss", "tower gradient", "gradient", "variable")
    found = compare(*sides, limits, kinds, noise=nothing)
    names = set(nothing)
    for place, each in enumerate(found):
        name = each.name.rpartition(": ")[2]
        if "gradient" in each.kind and not each.within and not each.problem:
            if _is_within_noise(name, *sides, limits):
                found[place] = dataclasses.replace(each, within=True, rounding=True)
                names.add(name)
    apart = {each.name.partition("//")[0] for each in found if each.kind == "gradient" and not each.within}
    for place, each in enumerate(found):
        owner = owner_of(each.name, original.facts.trainable)
        if each.within or each.problem or each.kind != "variable" or owner is None or owner in apart:
            continue
        if _is_update_of_rounding(each.name, owner, *sides, limits):
            found[place] = dataclasses.replace(each, within=True, rounding=True)
            names.add(owner)
    return found, {name: _noise_of(name, original.steps) for name in sorted(names)}


def gradients_of_rounding(original: Iterable[Step], migrated: Iterable[Step]) -> set[str]:
    """The variables whose gradients are rounding alone on both sides, of about one size.

    Examples are a bias before a batch norm and the bias of attention's keys, whose gradients are 0 in exact arithmetic.
    Adam makes whole steps of such gradients, in different directions on both sides; nothing else in the program depends
    on those variables. The sizes are the largest of all steps: in one of them a sum may happen to be 0 on one side.
    """
    sizes: dict[str, list[float]] = {}
    for step, match in zip(original, migrated, strict=False):
        for name, noise in step.noise.items():
            of_step = (noise, step.gradients[name], match.gradients.get(name))
            known = sizes.get(name, [0.0, 0.0, 0.0])
            sizes[name] = [max(size, _largest(value)) for size, value in zip(known, of_step, strict=True)]
    return {
        name for name, (noise, own, other) in sizes.items() if own <= TIMES * noise and other <= _ALIKE * own
    }


def _is_within_noise(
    name: str, original: Sequence[Step], migrated: Sequence[Step], limits: Tolerances
) -> bool:
    """True if a gradient is in each step within the tolerance, or as near as rounding moves it."""
    for step, match in zip(original, migrated, strict=True):
        own, other, noise = step.gradients.get(name), match.gradients.get(name), step.noise.get(name)
        if own is None or other is None or noise is None or own.shape != other.shape:
            return False
        apart = np.subtract(other, own, dtype=np.float64)
        for size in (largest_of, norm_of):
            if not size(apart) <= max(TIMES * size(noise), limits.gradients * size(own)):
                return False
    return True


def owner_of(name: str, trainable: Iterable[str]) -> str | None:
    """The trained variable that a variable is, or is a slot or average of; None for others, such as a moving mean."""
    return max((owner for owner in trainable if belongs_to(name, [owner])), key=len, default=None)


# -- an update of rounding: Adam, for one, divides a gradient by its own size ------------------------------------------
# An element of a variable, or of its slots and averages, is rounding where
#     |migrated - original| <= min(most, TIMES * r) * (the largest change of the variable by any step of the original)
#     r: the relative difference of its gradient's element, |migrated - original| / (|original| - what rounding moves)
#     most: 1 + TIMES for a weight, whose update grows at most with the gradient; 1 + TIMES ** 2 for the rest, which may
#         grow with its square (Adam's second moment).
#
# So a weight whose gradient is more than rounding may only differ by the effect of its gradient's own difference.
# Another learning rate or epsilon is still reported as a difference.


def _is_update_of_rounding(
    name: str, owner: str, original: Sequence[Step], migrated: Sequence[Step], limits: Tolerances
) -> bool:
    change = max(_largest(step.after[name] - step.variables[name]) for step in original)
    most = 1 + (TIMES if name == owner else TIMES**2)
    for step, match in zip(original, migrated, strict=True):
        apart = np.abs(match.after[name].astype(np.float64) - step.after[name])
        ulp = np.spacing(np.float32(_largest(step.after[name])))
        if _largest(apart) <= limits.variables * change + 4 * ulp:
            continue
        shape = {owner: step.variables[owner].shape}
        rows = {key: value for key, value in step.gradients.items() if key.endswith("//indices")}
        sides = step.gradients, match.gradients, {**step.noise, **rows}
        left, right, noise = (dense(gradients, shape).get(owner) for gradients in sides)
        if left is None or right is None or noise is None or noise.shape != apart.shape:
            return False
        with np.errstate(divide="ignore", invalid="ignore"):
            size = np.maximum(np.abs(left) - noise, 0.0)
            relative = np.where(right == left, 0.0, np.abs(right.astype(np.float64) - left) / size)
        if not np.all(apart <= np.minimum(most, TIMES * relative) * change + 4 * ulp):
            return False
    return True


def _noise_of(name: str, steps: Sequence[Step]) -> float:
    """The largest part of a gradient that rounding moves, of its largest element; 1 where it is all of it."""
    sizes = [(_largest(step.noise.get(name)), _largest(step.gradients.get(name))) for step in steps]
    return max((min(noise / own, 1.0) if own else 1.0 for noise, own in sizes), default=1.0)


def _largest(value: np.ndarray | None) -> float:
    return float("inf") if value is None else float(np.max(np.abs(value), initial=0.0))

"""What of a difference is rounding: the original's losses and gradients in float64 tell.

Two float32 computations of the same thing differ, and where terms cancel they may differ in every digit: a bias before
a batch normalization has the true gradient 0, and either side's is nothing but rounding. Whether a difference is that
shows in float64: there, on the same variables, inputs and draws, rounding is 2**29 times smaller, and the result is
exact for this purpose. A mistake moves the migrated value away from it, rounding leaves it about as far as the
original.

The rule 'rounding', at every step, for the largest element of a loss or gradient:

    |migrated - g64| <= TIMES * max(own, spread) + ULPS * (one float32 unit in the last place of g64's largest element)
    own: the largest |original - g64| of all steps, for one step's may be small by chance
    spread: of this step, by how much g64 itself changes when every variable does by one float32 unit in the last place,
        at random; where a change by 16 moves it out of all proportion, by that: a ReLU is next to 0, or two elements of
        a max-pool's window next to equal, and rounding decides which way a whole part of the gradient takes
        (`recorder.double.reference`)

provided that the original is itself a rounding of g64, which it is not where the float64 run computes something else (a
variable that is read again after an update): own <= SURE of g64's largest element, or OF_ALL of the largest one of all
gradients (where g64 is next to 0), or TIMES * spread; such a step's counts for no other one.

A variable is what an update makes of a gradient, and Adam, for one, divides it by its own size: a gradient of rounding
alone moves a weight by a full step in either direction. So an element of a variable, or of its slots and averages, is
rounding where

    |migrated - original| <= min(most, TIMES * r) * (the largest change of the variable by any step of the original)
                             + ULPS * (one unit in the last place of its largest element)
    r: the relative difference of its gradient's element, |migrated - original| / |g64|
    most: 1 + TIMES for a weight, which goes at most with the gradient (gradient descent); 1 + TIMES ** 2 for the rest,
        which may go with its square (Adam's second moment)

and where its gradient differs, by rounding or within the tolerance. So a weight whose gradient is no rounding is held
to what the update makes of the gradient's own difference: another rate or another epsilon stays a difference. Where a
variable has no gradient (a moving mean), and for a summary, CARRIED stands in place of min(most, TIMES * r), if all
losses and gradients that differ do so by rounding or within the tolerance.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from tf2towers.report.parity_result import Comparison, Kind, ParityResult
from tf2towers.verify.compare import Tolerances, equal, pairs
from tf2towers.verify.process import RunFailed
from tf2towers.verify.program import makes_session_calls
from tf2towers.verify.recording import Arrays, Step, dense, read_steps
from tf2towers.verify.sides import Options, Recorded, record_original

TIMES = 4.0  # the same sum rounded in two ways is seldom more apart; the largest of several steps even less
ULPS = 4.0  # for an original that happens to be exact
SURE = 1e-3  # 16 000 roundings of 2**-24, all in one direction
OF_ALL = 1e-5
TIPPED = 0.3  # one row of a small batch that takes another way
CARRIED = 1e-5  # as for the gradients of another TensorFlow (verify.py)

COMPUTED: tuple[Kind, ...] = ("loss", "tower gradient", "gradient")
_CARRIED: tuple[Kind, ...] = ("variable", "summary")

Key = tuple[Kind, str]


# -- what the float64 run has for a recorded step: its losses and gradients by name, and what they say of a variable ---


class NoReference(Exception):
    """The float64 run is not one of the recorded steps; the message says why."""


def check_same_step(place: int, left: Step, again: Step) -> None:
    """Says whether a step of a second run of the original starts from what the recorded one started from.

    Raises:
        NoReference: it has other variables, inputs or draws.
    """
    same = {
        "variables": (left.variables, again.variables),
        "inputs": (left.inputs, again.inputs),
        "random numbers": (_numbered(left.draws), _numbered(again.draws)),
    }
    for title, (first, second) in same.items():
        for name, value in first.items():
            if name not in second or not equal(value, second[name]):
                raise NoReference(f"run again, the original has other {title} at step {place}")


def computed(wide: Step) -> Iterator[tuple[Kind, str, np.ndarray]]:
    """What was computed in float64, named as in `compare.pairs`."""
    for tower, loss in enumerate(wide.losses64):
        yield "loss", f"tower {tower}", loss
    for tower, gradients in enumerate(wide.tower_gradients64):
        for name, value in gradients.items():
            yield "tower gradient", f"tower {tower}: {name}", value
    for name, value in wide.gradients64.items():
        yield "gradient", name, value


def spread_of(kind: Kind, name: str, wide: Step) -> float:
    """By how much one of these is a matter of rounding: see `Step.spread`."""
    tower, _, rest = name.removeprefix("tower ").partition(": ")
    keys = {"loss": f"loss64|{tower}", "gradient": f"gradient64|{name}"}
    return float(wide.spread.get(keys.get(kind, f"tower gradient64|{tower}|{rest}"), 0.0))


def neighbours(kind: Kind, name: str, applied: Arrays, of_towers: list[Arrays]) -> Arrays:
    """The gradients that one is computed with: all applied ones, or all of its tower; of a loss none."""
    if kind == "tower gradient":
        return of_towers[int(name.partition(":")[0].removeprefix("tower "))]
    return applied if kind == "gradient" else {}


def owner_of(name: str, step: Step) -> str | None:
    """The trained variable that a variable is, or is a slot or an average of; None for others, as a moving mean."""
    trained = {key.split("//")[0] for key in step.gradients}
    return max((variable for variable in trained if f"/{variable}/" in f"/{name}/"), key=len, default=None)


def relative_difference(
    owner: str, original: Step, migrated: Step, wide: Step, shape: tuple[int, ...]
) -> np.ndarray | None:
    """|migrated - original| / |g64| of a variable's gradient, element by element; 0 where the two are the same.

    Args:
        original, other, wide: the original's step, the migrated program's, and the one with float64.

    Returns:
        An array of this shape; None where there is no gradient for each of its elements.
    """
    rows = {name: value for name, value in original.gradients.items() if name.endswith("//indices")}
    sides = original.gradients, migrated.gradients, {**wide.gradients64, **rows}
    found = [dense(gradients, {owner: shape}).get(owner) for gradients in sides]
    mine, its, exact = (
        np.asarray(made, np.float64) if made is not None and made.shape == shape else None for made in found
    )
    if mine is None or its is None or exact is None:
        return None
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(its == mine, 0.0, np.abs(its - mine) / np.abs(exact))


def _numbered(draws: list[list[np.ndarray]]) -> Arrays:
    return {f"{tower} {place}": draw for tower, drawn in enumerate(draws) for place, draw in enumerate(drawn)}


# -- the rule ----------------------------------------------------------------------------------------------------------


@dataclass
class _Computed:
    """A loss or a gradient over the steps."""

    own: float = 0.0  # |original - g64|, the largest of the steps at which nothing tips
    its: list[float] = field(default_factory=list)  # |migrated - g64|
    spread: list[float] = field(default_factory=list)
    ulp: list[float] = field(default_factory=list)
    sure: bool = True

    def add(self, mine: np.ndarray, its: np.ndarray, exact: np.ndarray, of_all: float, spread: float) -> None:
        largest, own = _largest(exact), _largest(mine - exact)
        if own <= max(SURE * largest, OF_ALL * of_all):
            self.own = max(self.own, own)
        elif not own <= TIMES * spread:
            self.sure = False
        self.its.append(_largest(its - exact))
        self.spread.append(spread)
        self.ulp.append(_ulp(largest))

    @property
    def rounding(self) -> bool:
        steps = zip(self.its, self.spread, self.ulp, strict=True)
        return self.sure and all(
            its <= TIMES * max(self.own, spread) + ULPS * ulp for its, spread, ulp in steps
        )


@dataclass
class _Carried:
    """A variable or a summary over the steps."""

    owner: str | None = None
    change: float = 0.0  # the largest of any step of the original
    needed: float = 0.0  # so large it would have to be for the differences to be rounding

    def add(self, mine: np.ndarray, its: np.ndarray, part: np.ndarray | float) -> None:
        over = np.abs(its.astype(np.float64) - mine) - ULPS * _ulp(_largest(mine), mine.dtype)
        with np.errstate(divide="ignore", invalid="ignore"):
            self.needed = max(self.needed, _largest(np.where(over <= 0, 0.0, over / part)))

    @property
    def rounding(self) -> bool:
        return self.needed <= self.change


def hopeless(
    comparisons: Sequence[Comparison], original: Iterable[Step], migrated: Iterable[Step], share: int = 1
) -> bool:
    """Whether something is not rounding whatever a float64 run would say: it need not be made.

    Two values that are both as near to g64 as the rule has it are near one another, too; where something tips, within
    TIPPED of the largest element.
    """
    asked = _asked(comparisons)
    if any(found.problem or (found.kind == "input" and not found.within) for found in comparisons):
        return True
    if all(found.bitwise for found in comparisons if found.kind in COMPUTED):
        return True
    for mine, theirs in zip(original, migrated, strict=True):
        for kind, name, value, its in pairs(mine, theirs, share):
            if kind not in COMPUTED or (kind, name) not in asked or value is None or its is None:
                continue
            largest = _largest(value)
            of_all = _of_all(neighbours(kind, name, mine.gradients, mine.tower_gradients))
            own = max(SURE * largest, OF_ALL * of_all)
            near = max((TIMES + 2) * own, TIPPED * largest) + ULPS * _ulp(largest)
            if not _largest(its.astype(np.float64) - value) <= near:
                return True
    return False


def last_step(comparisons: Iterable[Comparison], limits: Tolerances) -> int:
    """The last step (from 0) at which anything is beyond its tolerance; -1 where nothing is."""
    beyond = [
        step
        for found in comparisons
        for step, error in enumerate(found.errors)
        if not (found.within or error <= limits.of(found.kind))
    ]
    return max(beyond, default=-1)


def tell(
    comparisons: Sequence[Comparison],
    original: Iterable[Step],
    migrated: Iterable[Step],
    reference: Iterable[Step],
    limits: Tolerances | None = None,
    share: int = 1,
) -> list[Comparison]:
    """The comparisons, with those that differ by rounding alone marked as such, and within.

    Args:
        comparisons: of original and migrated.
        original: its steps.
        migrated: its steps, each from the original's variables (lockstep).
        reference: the original's steps once more, with what they compute in float64; those up to `last_step` do.
        limits: what the comparisons were held against.
        share: see `compare.share_of`.

    Raises:
        NoReference: the second run of the original had other variables, inputs or draws than the first one.
    """
    limits, asked = limits or Tolerances(), _asked(comparisons)
    of_graph: dict[Key, _Computed] = {}
    carried: dict[Key, _Carried] = {}
    for place, (mine, theirs, wide) in enumerate(zip(original, migrated, reference, strict=False)):
        check_same_step(place, mine, wide)
        exact = {(kind, name): value for kind, name, value in computed(wide)}
        for kind, name, value, its in pairs(mine, theirs, share):
            key = (kind, name)
            if key not in asked or value is None or its is None:
                continue
            if key in exact:
                of_all = _of_all(neighbours(kind, name, wide.gradients64, wide.tower_gradients64))
                spread = spread_of(kind, name, wide)
                of_graph.setdefault(key, _Computed()).add(value, its, exact[key], of_all, spread)
            elif kind in _CARRIED and value.dtype.kind == "f":
                owner = owner_of(name, mine) if kind == "variable" else None
                of = carried.setdefault(key, _Carried(owner))
                of.change = max(of.change, _largest(value - mine.variables.get(name, np.zeros_like(value))))
                if not asked[key].errors[place] <= limits.of(kind):
                    most = 1 + (TIMES if name == owner else TIMES**2)
                    of.add(value, its, _part(owner, most, mine, theirs, wide, value.shape))
    apart = {
        (found.kind, found.name) for found in comparisons if found.kind in COMPUTED and not found.bitwise
    }
    rounding = {key for key, of in of_graph.items() if of.rounding}
    fine = {key for key in apart if key in rounding or key not in asked}
    for key, of in carried.items():
        made_of = (
            apart
            if of.owner is None
            else {gradient for gradient in apart if _is_gradient(gradient, of.owner)}
        )
        if made_of and made_of <= fine and of.rounding:
            rounding.add(key)
    return [
        dataclasses.replace(found, within=True, rounding=True)
        if (found.kind, found.name) in rounding
        else found
        for found in comparisons
    ]


def _asked(comparisons: Iterable[Comparison]) -> dict[Key, Comparison]:
    return {
        (found.kind, found.name): found
        for found in comparisons
        if not (found.bitwise or found.within or found.problem)
    }


def _part(
    owner: str | None, most: float, mine: Step, its: Step, wide: Step, shape: tuple[int, ...]
) -> np.ndarray | float:
    """By how much of its largest change an element may differ."""
    if owner is None:
        return CARRIED
    relative = relative_difference(owner, mine, its, wide, shape)
    return 0.0 if relative is None else np.minimum(most, TIMES * relative)


def _is_gradient(key: Key, owner: str) -> bool:
    return key[0] == "gradient" and key[1].split("//")[0] == owner


def _of_all(gradients: Arrays) -> float:
    return max(map(_largest, gradients.values()), default=0.0)


def _largest(value: np.ndarray) -> float:
    """The largest absolute value; NaN where one is."""
    return float(np.max(np.abs(value), initial=0.0))


def _ulp(largest: float, dtype: np.dtype | None = None) -> float:
    """One unit in the last place, of float32 where the type is none of a float."""
    with np.errstate(all="ignore"):
        return float(np.spacing(np.asarray(largest, dtype or np.float32)))


# -- the float64 run of a proof: the original once more, where the plain comparison is not content ---------------------

RULE = (
    "rule 'rounding': {count} differ by rounding alone: on the same variables and inputs they are as near to the "
    f"original's float64 run as the original itself is (at most {TIMES:g} times as far and {ULPS:g} "
    "units in the last place; or as far as a change of the variables in the last place moves that run, as where a ReLU "
    "or a max-pool tips), or are what an update makes of such a gradient"
)


def tell_rounding(
    result: ParityResult,
    options: Options,
    folder: Path,
    original: Recorded,
    migrated: Recorded,
    limits: Tolerances,
    share: int,
) -> None:
    """Marks what differs by rounding alone in `result.comparisons`, and notes the rule there.

    Args:
        result: of a comparison in lockstep: free runs part, and rounding is no longer what separates them.
    """
    if hopeless(result.comparisons, read_steps(original.folder), read_steps(migrated.folder), share):
        return
    steps = last_step(result.comparisons, limits) + 1
    try:
        wide = dataclasses.replace(options, double=True, steps=steps)
        script = result.original.script
        of_runtime = makes_session_calls(script)
        again = record_original(script, result.arguments, folder, wide, migrated=of_runtime)
        result.comparisons = tell(
            result.comparisons,
            read_steps(original.folder),
            read_steps(migrated.folder),
            read_steps(again.folder),
            limits,
            share,
        )
    except (RunFailed, NoReference) as problem:
        result.notes.append(f"no float64 run: {str(problem).splitlines()[0]}")
        return
    result.notes += [note for note in again.facts.notes if note not in original.facts.notes]
    count = sum(comparison.rounding for comparison in result.comparisons)
    if count:
        result.notes.append(RULE.format(count=count))

"""Judges calls of two TensorFlows one by one: a difference counts as rounding where rounding alone makes as much.

How much it makes is measured: the original runs again, each call from the variables that it had. Its weights are moved
by one unit in their last place, up or down by chance. What the migrated script makes of the original's variables may
then differ from the original by `TIMES` as much.

A number that is fetched or summarised may be a sum whose terms cancel out, such as the mean of a weight. Moves by
chance cancel out as well, but the rounding of a sum is as large as its terms. So for numbers, all weights are also
moved up, and `TIMES_OF_A_SUM` as much counts as rounding.

A gradient jumps where the input of a ReLU is next to 0: rounding decides whether it counts. One unit seldom meets the
input that another TensorFlow meets. So before a value is said to differ, the weights are moved by `FAR_UNITS` as well.
The rounding of a DenseNet's gradients is then as large as between TF 1.15 and 2.21 (4e-6). Three of six such runs meet
the ReLU that makes 5e-3 of a gradient. A value jumps if it changes much more than by `FAR_UNITS` times one unit's.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tf2towers.verify.calls.call_comparison import (
    SIZES,
    Call,
    Pair,
    Run,
    State,
    Verdict,
    is_within,
)
from tf2towers.verify.comparison import OTHER_TENSORFLOW, difference, largest_of
from tf2towers.verify.recorder.variables import belongs_to
from tf2towers.verify.recorder.writing import ALL_UP, FAR, FAR_UNITS
from tf2towers.verify.recording import dense

#: the moves of the weights for which the original is recorded (`writing.Before`); the first counts for numbers alone
MOVES = (ALL_UP, 2, 3)
#: further moves, by more units, for what jumps
FAR_MOVES = tuple(range(FAR, FAR + 6))
#: how much more than `FAR_UNITS` times the change by one unit is a jump
_JUMP = 8.0
#: how much more than was measured counts as rounding; measured is the weights' rounding alone
TIMES = 4.0
#: the same for a number and weights that all move up. TensorFlow's kernels add up to 256 terms of a sum one after the
#: other. Each addition may round by half a unit of the sum so far: at worst 128 times the terms' rounding. Of 7840
#: weights whose mean is 0, TF 1.15 and 2.21 give means that are 20 times it apart. Sums of integers are exact
TIMES_OF_A_SUM = 32.0
#: the largest ratio of the sizes of two gradients that are rounding
_ALIKE = 16.0


class Rounding:
    """Judges the calls of a migrated script that start from the original's variables (`call_comparison.Judge`).

    Args:
        original, migrated: both runs, of as many calls.
        moved: recordings of the original with its weights moved, one for each of `MOVES`, or of `FAR_MOVES` as well.

    Attributes:
        found: the variables whose gradients, or elements of them, are rounding, and which part of it rounding moves: of
            the largest element; 1: all of it.
    """

    def __init__(self, original: Run, migrated: Run, moved: Sequence[Run]) -> None:
        self._trainable = original.trainable
        self.sizes = Sizes(original, migrated, moved[1 : len(MOVES)])
        self._alone = self.sizes.gradients_of_rounding()
        self.found: dict[str, float] = {}
        self._apart: set[str] = set()  # the variables whose gradients differ

    def __call__(self, pair: Pair, apart: float) -> Verdict:
        """The verdict on a pair; `apart` is the difference relative to the largest element."""
        owner = self._owner_of(pair)
        verdict = self._judge(pair, apart, owner)
        if verdict == "rounding" and owner:
            self.found[owner] = self.sizes.part(owner)
        if verdict == "differs" and pair.kind == "gradient":
            self._apart.add(owner)
        return verdict

    def _judge(self, pair: Pair, apart: float, owner: str) -> Verdict:
        if is_within(pair, apart, OTHER_TENSORFLOW, pair.before):
            return "within"
        if owner in self._alone and pair.calls[0].trains:
            return "rounding"
        if pair.kind == "variable" and owner in self._apart:
            return "differs"
        if pair.kind == "variable" and owner and pair.key in self.sizes.changes:
            rounding = self._is_update_of_rounding(pair, owner)
            if rounding is not None:
                return "rounding" if rounding else "differs"
        return "rounding" if _is_moved_as_far(pair) else "differs"

    def _owner_of(self, pair: Pair) -> str:
        """The trained variable whose gradient, slot, average or summary a value is, or itself; else an empty name."""
        if pair.kind not in ("gradient", "variable", "summary"):
            return ""
        return max((name for name in self._trainable if belongs_to(pair.key, [name])), key=len, default="")

    # An update may turn rounding into whole steps: Adam, for one, divides a gradient by its own size. An element of a
    # variable, or of its slots and averages, is rounding where
    #     |migrated - original| <= min(most, TIMES * r) * (the variable's largest change by any call of the original)
    #     r: the relative difference of its gradient's element, |migrated - original| / |original|
    #     most: 1 + TIMES for a weight, whose update grows at most with the gradient; 1 + TIMES ** 2 for the rest, which
    #         may grow with its square (Adam's second moment).
    # So an update may only differ by the effect of its gradient's own difference.

    def _is_update_of_rounding(self, pair: Pair, owner: str) -> bool | None:
        """None where the gradient is not known."""
        own, other = pair.values
        assert own is not None and other is not None
        left, right = (_gradient(call, owner, own.shape) for call in pair.calls)
        if left is None or right is None:
            return None
        most = 1 + (TIMES if pair.key == owner else TIMES**2)
        with np.errstate(divide="ignore", invalid="ignore"):
            apart = difference(left, right)
            relative = np.where(apart == 0.0, 0.0, apart / np.abs(left))
        allowed = np.minimum(most, TIMES * relative) * self.sizes.changes[pair.key]
        return bool(np.all(pair.off <= allowed + 4 * np.spacing(largest_of(own), dtype=own.dtype)))


class Sizes:
    """How large gradients are, how far rounding moves them, and how far variables move, over all calls that train.

    Attributes:
        changes: the largest change of each variable.
    """

    def __init__(self, original: Run, migrated: Run, moved: Sequence[Run]) -> None:
        self.changes: dict[str, float] = {}
        self._gradients: dict[
            str, list[float]
        ] = {}  # the original's, the migrated script's, what rounding moves
        state: State = {}
        for call, match, *others in zip(original, migrated, *moved, strict=False):
            self._add_gradients(call, match, others)
            for kind in ("before", "variable"):
                for name, value in call.values.get(kind, {}).items():
                    owned = call.worker, call.session, name
                    before = state.get(owned)
                    if kind == "variable" and call.trains and before is not None and value.dtype.kind == "f":
                        self.changes[name] = max(self.changes.get(name, 0.0), largest_of(value - before))
                    state[owned] = value

    def _add_gradients(self, call: Call, match: Call, others: Sequence[Call]) -> None:
        for name, own in call.values.get("gradient", {}).items():
            other = match.values.get("gradient", {}).get(name)
            again = [each.values.get("gradient", {}).get(name) for each in others]
            moved = _largest_difference(own, again)
            if moved is None or other is None or own.dtype.kind != "f":
                continue
            known = self._gradients.get(name, [0.0, 0.0, 0.0])
            sizes = map(largest_of, (own, other, moved))
            self._gradients[name] = [max(pair) for pair in zip(known, sizes, strict=True)]

    def gradients_of_rounding(self) -> set[str]:
        """The variables whose gradients are rounding alone on both sides, of about one size.

        Examples are a bias before a batch norm and the bias of attention's keys, whose gradients are 0 in exact
        arithmetic. Adam makes whole steps of them, in different directions on both sides; nothing else in the program
        depends on those variables. The sizes are the largest of all steps: in one of them a sum may happen to be 0 on
        one side. A gradient that is 0 in all steps moves no variable: what does is a mistake.
        """
        return {
            name.partition("//")[0]
            for name, (own, other, moved) in self._gradients.items()
            if own and own <= TIMES * moved and other <= _ALIKE * own
        }

    def part(self, owner: str) -> float:
        """The part of a variable's gradient that rounding moves, both by their largest elements; 1: all of it."""
        found = [sizes for name, sizes in self._gradients.items() if name.partition("//")[0] == owner]
        return max((min(moved / own, 1.0) if own else 1.0 for own, _, moved in found), default=1.0)


def _gradient(call: Call, owner: str, shape: tuple[int, ...]) -> np.ndarray | None:
    """The gradient of a variable in a call, with the rows of a sparse one in their places."""
    gradients = {
        name: value for name, value in call.values.get("gradient", {}).items() if belongs_to(name, [owner])
    }
    found = dense(gradients, {owner: shape}).get(owner)
    return found if found is not None and found.shape == shape else None


def _is_moved_as_far(pair: Pair) -> bool:
    """True if a value differs from the original's about as far as moved weights change it."""
    own, off = pair.values[0], pair.off
    assert own is not None
    up, *near = pair.others[: len(MOVES)]
    moved, far = _largest_difference(own, near), _largest_difference(own, pair.others[len(MOVES) :])
    up = _largest_difference(own, [up])
    if moved is not None and all(size(off) <= TIMES * size(moved) for size in SIZES):
        return True
    if moved is not None and far is not None:
        jumps = all(size(far) > _JUMP * FAR_UNITS * size(moved) for size in SIZES)
        if jumps and all(size(off) <= TIMES * size(far) for size in SIZES):
            return True
    is_number = own.size == 1 and own.dtype.kind == "f" and pair.kind in ("fetched", "summary")
    return is_number and up is not None and largest_of(off) <= TIMES_OF_A_SUM * largest_of(up)


def _largest_difference(own: np.ndarray, others: Sequence[np.ndarray | None]) -> np.ndarray | None:
    """The largest difference of each element from other recordings' ones; None where none has the value."""
    if own.dtype.kind not in "biuf":
        return None
    found = [difference(own, other) for other in others if other is not None and other.shape == own.shape]
    return np.max(found, axis=0) if found else None

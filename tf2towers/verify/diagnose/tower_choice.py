"""The applied gradient is not made of all towers' ones, or not each made of its own data.

With N towers' gradients t_0 .. t_N-1 of the original, the migrated's is t_j (nobody averages, or every replica is given
the same data), or one of them is left out of the sum or the mean. Recognised by trying each; the losses tell the first
two apart. Without the towers' gradients, losses that are all tower j's show that its data went to all.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tf2towers.report.parity_result import Diagnosis
from tf2towers.verify.diagnose.evidence import Evidence, Mistake, Pair
from tf2towers.verify.diagnose.layer import digest_apart, paired
from tf2towers.verify.diagnose.numbers import ENOUGH, EQUAL, relative
from tf2towers.verify.recording import Arrays

Combine = Callable[[list[np.ndarray], int], np.ndarray]

#: what is applied when all is right is the mean of the towers' gradients
_ALONE: Combine = lambda towers, tower: towers[tower]  # noqa: E731
_SUM_OF_REST: Combine = lambda towers, tower: (sum(towers) - towers[tower]) / len(towers)  # noqa: E731
_MEAN_OF_REST: Combine = lambda towers, tower: (sum(towers) - towers[tower]) / (len(towers) - 1)  # noqa: E731


def _towers(evidence: Evidence, pair: Pair, name: str) -> list[np.ndarray] | None:
    """The original's towers' gradients of a variable, scaled so that their mean is what it applied."""
    towers = [gradients[name] for gradients in pair.original.towers if name in gradients]
    applied = pair.original.gradients[name]
    if len(towers) != evidence.towers or any(tower.shape != applied.shape for tower in towers):
        return None
    total = np.sum(towers, axis=0)
    if relative(total / len(towers), applied) > EQUAL and relative(total, applied) <= EQUAL:
        return [len(towers) * tower for tower in towers]  # each loss was divided, and the gradients added up
    return towers


def _explained(evidence: Evidence, made: Combine, tower: int) -> float:
    def assumed(pair: Pair, name: str) -> np.ndarray | None:
        towers = _towers(evidence, pair, name)
        return None if towers is None else made(towers, tower)

    return evidence.explained(assumed)


def _losses_of(evidence: Evidence) -> int | str | None:
    """j: all losses are tower j's; 'own': each is its tower's own; None: neither can be said."""
    pairs = [(pair.original.losses, pair.migrated.losses) for pair in evidence.comparable]
    pairs = [(mine, its) for mine, its in pairs if mine.size == evidence.towers and mine.size > 1]
    if not pairs or any(its.size != mine.size for mine, its in pairs):
        return None

    def same(right: np.ndarray, its: np.ndarray) -> bool:
        return bool(np.all(np.abs(right - its) <= EQUAL * np.max(np.abs(right), initial=0.0)))

    if all(same(mine, np.full_like(mine, mine[0])) for mine, _ in pairs):
        return None
    if all(same(mine, its) for mine, its in pairs):
        return "own"
    for tower in range(evidence.towers):
        if all(same(np.full_like(mine, mine[tower]), its) for mine, its in pairs):
            return tower
    return None


def _one_for_all(evidence: Evidence, tower: int, part: float, seen: str) -> Diagnosis:
    return Diagnosis(
        "one tower's data used for all",
        f"Every replica works on the data of the original's tower {tower}: {seen}.",
        "Give each replica its own part of the batch (one element of the original's split or queue each).",
        evidence.first_difference(),
        part,
    )


def _recognise(evidence: Evidence) -> Diagnosis | None:
    if evidence.towers < 2:
        return None
    of_losses = _losses_of(evidence)
    towers = range(evidence.towers)
    part, tower = max(((_explained(evidence, _ALONE, tower), -tower) for tower in towers), default=(0.0, 0))
    tower = -tower
    if part >= ENOUGH:
        if isinstance(of_losses, int):
            return _one_for_all(evidence, of_losses, part, "its losses and its gradient are that tower's")
        same = [pair.migrated.towers for pair in evidence.comparable if len(pair.migrated.towers) > 1]
        alike = [
            relative(mine[name], tower[name]) <= EQUAL
            for mine, *rest in same
            for tower in rest
            for name in mine
            if name in tower
        ]
        if of_losses is None and alike and all(alike):
            return _one_for_all(evidence, tower, part, "all its towers' gradients are that tower's")
        besides = f"; leaving out tower {1 - tower} would give the same" if evidence.towers == 2 else ""
        return Diagnosis(
            "no averaging",
            f"The applied gradient is tower {tower}'s own, though each replica computes the right loss: the gradients "
            f"of the replicas are not averaged{besides}.",
            "Reduce the gradients over the replicas (ReduceOp.MEAN) before they are applied.",
            evidence.first_difference(),
            part,
        )
    if isinstance(of_losses, int) and not any(pair.original.towers for pair in evidence.comparable):
        return _one_for_all(evidence, of_losses, 1.0, "all its losses are that tower's")
    tried = [
        (_explained(evidence, made, tower), -tower, of)
        for made, of in ((_SUM_OF_REST, "sum"), (_MEAN_OF_REST, "mean"))
        for tower in towers
    ]
    part, left_out, of = max(tried)
    if part < ENOUGH:
        return None
    how = f"the sum of the others by {evidence.towers}" if of == "sum" else "the mean of the others"
    return Diagnosis(
        "skipped tower",
        f"Tower {-left_out} is missing from the applied gradient, which is {how}.",
        "Take the gradients of all replicas into the mean.",
        evidence.first_difference(),
        part,
    )


TOWER_CHOICE = Mistake(
    ("one tower's data used for all", "no averaging", "skipped tower"), "gradients", _recognise
)


# -- one tower's data used for all, though what is random in it (dropout) is each replica's own ------------------------
# Then the migrated's first layers are those of one tower j of the original in all replicas, digest by digest, while the
# original's towers differ from one another there. Random draws of the replicas' own hide it in gradients and losses.


def _same_first_layer(left: Arrays, right: Arrays) -> bool:
    layers = paired(left, right)
    return bool(layers) and digest_apart(layers[0][1], layers[0][2]) <= EQUAL


def _by_layers(evidence: Evidence) -> Diagnosis | None:
    for pair in evidence.comparable:
        mine, its = pair.original.step.layers, pair.migrated.step.layers
        if len(mine) < 2 or len(mine) != len(its):
            continue
        for tower, right in enumerate(mine):
            alone = not any(
                _same_first_layer(right, other) for place, other in enumerate(mine) if place != tower
            )
            if alone and all(_same_first_layer(right, other) for other in its):
                first = paired(right, its[0])[0][0]
                return Diagnosis(
                    "one tower's data used for all",
                    f"Every replica works on the data of the original's tower {tower}: {first!r}, the first layer, is "
                    "that tower's in all of them.",
                    "Give each replica its own part of the batch (one element of the original's split or queue each).",
                    pair.index,
                )
    return None


TOWER_DATA = Mistake(("one tower's data used for all",), "forward", _by_layers)

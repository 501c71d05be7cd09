"""The forward pass differs, from one layer on, while all that goes into that layer agrees.

Layers are known by digests (sum, sum of absolute values, sum of squares). A normalisation y = gamma * (x - mean) /
sqrt(variance + epsilon) + beta with another epsilon keeps the sum of y, which is that of beta, and changes the spread:
so 'batch-norm epsilon' is said only where the sums agree and the others do not, or where what differs is the addition
of epsilon itself (`tf.nn.batch_normalization`, operations '.../batchnorm/add', '.../batchnorm/Rsqrt'). What normalises
with other statistics than the batch's moves the sums.
"""

from __future__ import annotations

import numpy as np

from tf2towers.report.parity_result import Diagnosis
from tf2towers.verify.diagnose.evidence import Evidence, Mistake, Pair
from tf2towers.verify.diagnose.numbers import EQUAL, relative, rounded
from tf2towers.verify.recording import Arrays, Step

_NORMALISATIONS = ("fusedbatchnorm", "batchnorm", "batch_norm", "batch_normalization")


def paired(left: Arrays, right: Arrays) -> list[tuple[str, np.ndarray, np.ndarray]]:
    """The layers of a tower that both sides have, by name in the original's order, or by place if no name is shared."""
    named = [(name, left[name], right[name]) for name in left if name in right]
    if not named and len(left) == len(right):
        named = [
            (name, value, again) for (name, value), again in zip(left.items(), right.values(), strict=True)
        ]
    return [(name, value, again) for name, value, again in named if value.size >= 5 and again.size >= 5]


def digest_apart(left: np.ndarray, right: np.ndarray) -> float:
    """How far two digests are apart: each sum by the size of what is summed; infinity for other sizes."""
    if not np.all(np.isfinite(left[1:5])) or not np.all(np.isfinite(right[1:5])):
        return 0.0 if np.array_equal(left[1:5], right[1:5], equal_nan=True) else float("inf")
    if left[4] != right[4]:
        return float("inf")
    size, squares = max(left[2], right[2]), max(left[3], right[3])
    if not size or not squares:
        return 0.0
    gaps = (abs(left[1] - right[1]) / size, abs(left[2] - right[2]) / size, abs(left[3] - right[3]) / squares)
    return float(max(gaps))


def first_layer(original: Step, migrated: Step, tolerance: float) -> tuple[str, int] | None:
    """The first layer forward that differs by more than `tolerance`, and the first tower in which it does.

    Layers of all towers go by the order of the first; a tolerance below 0 asks for the same bits.
    """
    found: dict[str, int] = {}
    order: dict[str, int] = {}
    for tower, (mine, its) in enumerate(zip(original.layers, migrated.layers, strict=False)):
        for place, (name, value, again) in enumerate(paired(mine, its)):
            order.setdefault(name, place)
            differs = value[0] != again[0] if tolerance < 0 else digest_apart(value, again) > tolerance
            if differs:
                found.setdefault(name, tower)
                break
    if not found:
        return None
    name = min(found, key=lambda layer: (order[layer], found[layer]))
    return name, found[name]


def _is_normalisation(name: str, kind: str) -> bool:
    words = f"{name}/{kind}".lower().replace("-", "_")
    return any(word in words for word in _NORMALISATIONS)


def _epsilon(name: str, mine: np.ndarray, theirs: np.ndarray) -> str | None:
    """What in two digests of a normalisation speaks for another epsilon, if anything does."""
    if mine[4] != theirs[4]:
        return None
    last = name.rpartition("/")[2]
    if "batchnorm" in name.lower() and last == "Rsqrt":
        return "the reciprocal root of variance + epsilon differs"
    if "batchnorm" in name.lower() and last == "add":
        return f"variance + epsilon differs by {rounded((theirs[1] - mine[1]) / mine[4])} on average"
    size = max(mine[2], theirs[2])
    spread = abs(mine[2] - theirs[2]) / size if size else 0.0
    if spread > EQUAL and abs(mine[1] - theirs[1]) <= 0.05 * abs(mine[2] - theirs[2]):
        return f"its values keep their sum and are {rounded(theirs[2] / mine[2])} times as large"
    return None


def _steps(evidence: Evidence) -> list[tuple[Pair, str, int]]:
    found = []
    for pair in evidence.comparable:
        first = first_layer(pair.original.step, pair.migrated.step, pair.tolerance)
        if first is not None:
            found.append((pair, *first))
    return found


def _matters(evidence: Evidence) -> bool:
    """Whether anything comes of it: a layer of rounding alone, or of a measure beside the loss, is no cause."""
    known = evidence.gradients_differ
    for pair in evidence.comparable:
        mine, its = pair.original.losses, pair.migrated.losses
        if mine.size and mine.shape == its.shape:
            if relative(mine, its) > pair.tolerance:
                return True
        elif not pair.original.gradients or not pair.migrated.gradients:
            known = True  # nothing was recorded that would show it
    return known


def _recognise(evidence: Evidence) -> Diagnosis | None:
    steps = _steps(evidence)
    if not steps or not _matters(evidence):
        return None
    pair, name, tower = steps[0]
    types, others = evidence.facts.layer_types, evidence.migrated_facts.layer_types
    kind = types.get(name) or others.get(name, "")
    layers = paired(pair.original.step.layers[tower], pair.migrated.step.layers[tower])
    mine, its = next((value, again) for layer, value, again in layers if layer == name)
    has_layers_before = layers[0][0] != name
    seen = _epsilon(name, mine, its) if has_layers_before and _is_normalisation(name, kind) else None
    if seen:
        return Diagnosis(
            "batch-norm epsilon",
            f"{name!r} is the first layer that differs, all before it agree, and {seen}: another epsilon.",
            "Give the normalisation the original's epsilon (tf.layers and slim: 1e-3; Keras: 1e-3; others have 1e-5).",
            pair.index,
        )
    what = f" ({kind})" if kind else ""
    where = " in every tower" if tower == 0 else f" of tower {tower}"
    agree = "what goes into it agrees" if has_layers_before else "it is the first that was recorded"
    return Diagnosis(
        "layer differs",
        f"At step {pair.index} {name!r}{what}{where if tower else ''} is the first layer that differs; {agree}.",
        "Compare this layer's arguments (padding, activation, mode of training, scale of the inputs) on both sides.",
        pair.index,
        0.9,
    )


LAYER = Mistake(("batch-norm epsilon", "layer differs"), "forward", _recognise)

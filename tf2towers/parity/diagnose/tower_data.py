"""Every replica computes on one tower's data, though what is random in it (dropout) is its own.

Then the migrated's first layers are those of one tower j of the original in all replicas, digest by digest, while the
original's towers differ from one another there. (`tower_choice` finds the same from gradients and losses; random draws
of the replicas' own hide it there.)
"""

from __future__ import annotations

from tf2towers.parity.diagnose.evidence import Evidence
from tf2towers.parity.diagnose.layer import digest_apart, paired
from tf2towers.parity.diagnose.mistake import Mistake
from tf2towers.parity.diagnose.numbers import EQUAL
from tf2towers.parity.recording import Arrays
from tf2towers.report.parity_result import Diagnosis


def _same_first_layer(left: Arrays, right: Arrays) -> bool:
    layers = paired(left, right)
    return bool(layers) and digest_apart(layers[0][1], layers[0][2]) <= EQUAL


def _recognise(evidence: Evidence) -> Diagnosis | None:
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


TOWER_DATA = Mistake(("one tower's data used for all",), "forward", _recognise)

"""The migrated run was not given what the original was: then nothing else can be compared.

Recognised by value: inputs of the same name, or where the names are others, of the same place and shape.
"""

from __future__ import annotations

from tf2towers.report.parity_result import Diagnosis
from tf2towers.verify.diagnose.evidence import Evidence, Mistake
from tf2towers.verify.diagnose.numbers import EQUAL, differing_input, listed, relative


def _inputs(evidence: Evidence) -> Diagnosis | None:
    for pair in evidence.pairs:
        name = differing_input(pair.original.step, pair.migrated.step)
        if name is not None:
            return Diagnosis(
                "inputs differ",
                f"At step {pair.index} the migrated run was not given the original's input {name!r}; what follows "
                "from it cannot be compared.",
                "Read the same data in the same order: see the shuffling, the seeds and how the batch is split.",
                pair.index,
            )
    return None


def _initial_values(evidence: Evidence) -> Diagnosis | None:
    if evidence.lockstep or not evidence.pairs:
        return None
    mine, its = evidence.pairs[0].original.before, evidence.pairs[0].migrated.before
    differing = [name for name, value in mine.items() if name in its and relative(value, its[name]) > EQUAL]
    if not differing:
        return None
    return Diagnosis(
        "initial values differ",
        f"The runs do not begin with the same variables: {listed(differing)}.",
        "Begin both from one checkpoint, or with the same initializers and seeds.",
    )


INPUTS = Mistake(("inputs differ",), "inputs", _inputs)
INITIAL_VALUES = Mistake(("initial values differ",), "inputs", _initial_values)

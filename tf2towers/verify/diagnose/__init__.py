"""Names the mistake that explains why an original trainer and its migrated one do not agree.

A step is a chain: inputs, layers and losses, the towers' gradients, what is applied of them, the update, the statistics
beside it. A mistake breaks one link, and all that comes after follows from it. So every recogniser asks of its own link
only, given what went into it, and of several that fit one link the one that explains most is given. Each is a file;
`MISTAKES` lists them in the order of the chain.
"""

from __future__ import annotations

import numpy as np

from tf2towers.report.parity_result import Diagnosis
from tf2towers.verify.diagnose.clipping import CLIPPING
from tf2towers.verify.diagnose.epsilon import EPSILON
from tf2towers.verify.diagnose.evidence import Evidence, Link, Mistake
from tf2towers.verify.diagnose.factor import FACTOR
from tf2towers.verify.diagnose.first import first_differences
from tf2towers.verify.diagnose.global_step import GLOBAL_STEP
from tf2towers.verify.diagnose.inputs import INITIAL_VALUES, INPUTS
from tf2towers.verify.diagnose.keras_momentum import KERAS_MOMENTUM
from tf2towers.verify.diagnose.layer import LAYER
from tf2towers.verify.diagnose.learning_rate import LEARNING_RATE
from tf2towers.verify.diagnose.moving_average import MOVING_AVERAGE
from tf2towers.verify.diagnose.not_trained import NOT_TRAINED
from tf2towers.verify.diagnose.other_optimizer import OTHER_OPTIMIZER
from tf2towers.verify.diagnose.per_replica import PER_REPLICA
from tf2towers.verify.diagnose.regulariser import REGULARISER
from tf2towers.verify.diagnose.statistics import STATISTICS
from tf2towers.verify.diagnose.tower_choice import TOWER_CHOICE, TOWER_DATA
from tf2towers.verify.recording import Recording

__all__ = ["MISTAKES", "Mistake", "diagnose", "first_differences"]

#: every mistake that is recognised; of equally good ones on a link the first is given
MISTAKES: tuple[Mistake, ...] = (
    INPUTS,
    INITIAL_VALUES,
    NOT_TRAINED,
    TOWER_CHOICE,
    CLIPPING,
    FACTOR,
    REGULARISER,
    TOWER_DATA,
    LAYER,
    GLOBAL_STEP,
    PER_REPLICA,
    KERAS_MOMENTUM,
    LEARNING_RATE,
    EPSILON,
    OTHER_OPTIMIZER,
    STATISTICS,
    MOVING_AVERAGE,
)

#: a link that is not asked about if one of these is broken
_FOLLOWS: dict[Link, tuple[Link, ...]] = {
    "gradients": ("inputs",),
    "forward": ("inputs", "gradients"),
    "statistics": ("inputs", "gradients", "forward"),
}


def diagnose(original: Recording, migrated: Recording, lockstep: bool = True) -> list[Diagnosis]:
    """The mistakes that explain the differences, in the order of a step: at most one a link.

    Args:
        lockstep: each step was begun with the original's variables, inputs and random draws; otherwise only the first.

    Returns:
        Nothing where all is equal within rounding, or where no known mistake explains what differs.
    """
    if not original.steps or not migrated.steps:
        return []
    with np.errstate(all="ignore"):
        evidence = Evidence(original, migrated, lockstep)
        found: dict[Link, Diagnosis] = {}
        for mistake in MISTAKES:
            link = mistake.link
            if any(cause in found for cause in _FOLLOWS.get(link, ())):
                continue
            if link == "gradients" and not evidence.gradients_differ:
                continue
            if link in found and (link == "inputs" or found[link].confidence > 0.98):
                continue
            diagnosis = mistake.recognise(evidence)
            if diagnosis is None:
                continue
            evidence.found.append(diagnosis.name)
            best = found.get(link)
            if best is None or diagnosis.confidence > best.confidence + 0.02:
                found[link] = diagnosis
    return list(found.values())

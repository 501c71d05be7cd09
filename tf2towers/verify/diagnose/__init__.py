"""Names the mistake that explains why an original trainer and its migrated one do not agree.

A step is a chain: losses, the towers' gradients, what is applied of them, the update, the statistics beside
it. A mistake breaks one link, and all that comes after follows from it. So every recogniser asks of its own link only,
given what went into it, and of several that fit one link the one that explains most is given. Six mistakes that people
make are known: the sum for the mean, a tower left out, clipping before or after it, a lost regulariser, the learning
rate, moving averages. Of what is none of them, the first difference is reported.
"""

from __future__ import annotations

import numpy as np

from tf2towers.report.parity_result import Diagnosis
from tf2towers.verify.diagnose.evidence import Evidence, Link
from tf2towers.verify.diagnose.gradients import CLIPPING, FACTOR, REGULARISER, TOWER_CHOICE
from tf2towers.verify.diagnose.updates import LEARNING_RATE, MOVING_AVERAGE, STATISTICS
from tf2towers.verify.recording import Recording

#: every mistake that is recognised; of equally good ones on a link the first is given
MISTAKES = (TOWER_CHOICE, CLIPPING, FACTOR, REGULARISER, LEARNING_RATE, STATISTICS, MOVING_AVERAGE)


def diagnose(original: Recording, migrated: Recording) -> list[Diagnosis]:
    """The mistakes that explain the differences, in the order of a step: at most one a link.

    Each step was begun with the original's variables and inputs.

    Returns:
        Nothing where all is equal within rounding, or where no known mistake explains what differs.
    """
    if not original.steps or not migrated.steps:
        return []
    with np.errstate(all="ignore"):
        evidence = Evidence(original, migrated)
        found: dict[Link, Diagnosis] = {}
        for mistake in MISTAKES:
            link = mistake.link
            if link == "statistics" and "gradients" in found:
                continue
            if link == "gradients" and not evidence.gradients_differ:
                continue
            if link in found and found[link].confidence > 0.98:
                continue
            diagnosis = mistake.recognise(evidence)
            if diagnosis is None:
                continue
            best = found.get(link)
            if best is None or diagnosis.confidence > best.confidence + 0.02:
                found[link] = diagnosis
    return list(found.values())

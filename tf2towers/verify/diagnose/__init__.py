"""Names the mistake that explains why a migrated trainer differs from the original.

A step is a chain: losses, the towers' gradients, the applied gradients, the update, the statistics beside it. A
mistake breaks one link, and changes all links after it. So every recogniser examines only its own link, given the
link's input. Of several that explain one link, the one that explains most is reported. Six common mistakes are known:
the sum for the mean, a tower left out, clipping before or after averaging, a lost regulariser, the learning rate,
moving averages. Where none of them explains a difference, only the first difference is reported.
"""

from __future__ import annotations

import numpy as np

from tf2towers.report.parity_result import Diagnosis
from tf2towers.verify.diagnose.evidence import Evidence, Link
from tf2towers.verify.diagnose.gradients import CLIPPING, FACTOR, REGULARISER, TOWER_CHOICE
from tf2towers.verify.diagnose.updates import LEARNING_RATE, MOVING_AVERAGE, STATISTICS
from tf2towers.verify.recording import Recording

#: every known mistake; of those that explain a link equally well, the first is reported
MISTAKES = (TOWER_CHOICE, CLIPPING, FACTOR, REGULARISER, LEARNING_RATE, STATISTICS, MOVING_AVERAGE)


def diagnose(original: Recording, migrated: Recording) -> list[Diagnosis]:
    """The mistakes that explain the differences, in the order of a step: at most one for each link.

    Both sides' steps start with the original's variables and inputs.

    Returns:
        An empty list where all is equal within rounding, or no known mistake explains the difference.
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

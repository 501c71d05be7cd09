"""Names the mistake that explains why a migrated trainer differs from the original, where a check shows it.

A step is a chain: the gradients that are applied, the update, the statistics beside it. A mistake breaks one link, and
changes all links after it. For each link, the numbers that a mistake would make are computed from the original's, and
held against what the migrated script has made. A mistake is named where all of them agree, in every step; else the
first difference is reported alone.
"""

from __future__ import annotations

import numpy as np

from tf2towers.report.parity_result import Diagnosis
from tf2towers.verify.diagnose.evidence import Evidence
from tf2towers.verify.diagnose.gradient_mistakes import clipping, factor, regulariser, tower_choice
from tf2towers.verify.diagnose.updates import learning_rate, moving_average, statistics
from tf2towers.verify.recording import Recording

#: the links of a step, and the mistakes that break each; the first that a check shows is named
MISTAKES = {
    "gradients": (tower_choice, factor, regulariser, clipping),
    "update": (learning_rate,),
    "statistics": (statistics,),
    "moving average": (moving_average,),
}


def diagnose(original: Recording, migrated: Recording) -> list[Diagnosis]:
    """The mistakes that explain the differences, in the order of a step: at most one for each link.

    Both sides' steps start with the original's variables and inputs.

    Returns:
        An empty list where all is equal within rounding, or no known mistake explains the difference.
    """
    with np.errstate(all="ignore"):
        evidence = Evidence(original, migrated)
        broken = any(pair.differing for pair in evidence.pairs)
        found = []
        for link, mistakes in MISTAKES.items():
            if (link == "gradients" and not broken) or (link == "statistics" and broken):
                continue
            named = filter(None, (mistake(evidence) for mistake in mistakes))
            found += [*named][:1]
        return found

"""The counter of steps goes up by another number than the original's.

`apply_gradients(.., global_step=..)` adds 1; where each of N replicas adds 1 it goes up by N; where nobody passes it
on it stays.
"""

from __future__ import annotations

from tf2towers.report.parity_result import Diagnosis
from tf2towers.verify.diagnose.evidence import Evidence, Mistake, View


def _counters(view: View) -> list[str]:
    found = [
        name
        for name in view.before
        if name.rpartition("/")[2] == "global_step" and view.before[name].size == 1
    ]
    return sorted(found, key=len)


def _recognise(evidence: Evidence) -> Diagnosis | None:
    for pair in evidence.pairs:
        for name in _counters(pair.original):
            mine, its = pair.original.change(name), pair.migrated.change(name)
            if mine is None or its is None or mine[0] == its[0]:
                continue
            by, of = int(its[0]), int(mine[0])
            if by == 0:
                how = "stays where it is"
            elif evidence.towers > 1 and by == of * evidence.towers:
                how = f"goes by {by} a step, once for each of the {evidence.towers} replicas"
            else:
                how = f"goes by {by} a step"
            return Diagnosis(
                "global step",
                f"{name!r} {how}; the original's goes by {of}. Schedules, stops and checkpoints follow it.",
                "Add 1 once a step, in the cross-replica context.",
                pair.index,
            )
    return None


GLOBAL_STEP = Mistake(("global step",), "counter", _recognise)

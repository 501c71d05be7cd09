"""The float64 run of a proof: the original once more, where the plain comparison is not content."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from tf2towers.parity import rounding
from tf2towers.parity.compare import Tolerances
from tf2towers.parity.float64_values import NoReference
from tf2towers.parity.process import RunFailed
from tf2towers.parity.recording import read_steps
from tf2towers.parity.sides import Options, Recorded, record_original
from tf2towers.report.parity_result import ParityResult

RULE = (
    "rule 'rounding': {count} differ by rounding alone: on the same variables and inputs they are as near to the "
    f"original's float64 run as the original itself is (at most {rounding.TIMES:g} times as far and {rounding.ULPS:g} "
    "units in the last place; or as far as a change of the variables in the last place moves that run, as where a ReLU "
    "or a max-pool tips), or are what an update makes of such a gradient"
)


def tell_rounding(
    result: ParityResult,
    options: Options,
    folder: Path,
    original: Recorded,
    migrated: Recorded,
    limits: Tolerances,
    share: int,
) -> None:
    """Marks what differs by rounding alone in `result.comparisons`, and notes the rule there.

    Args:
        result: of a comparison in lockstep: free runs part, and rounding is no longer what separates them.
    """
    if rounding.hopeless(result.comparisons, read_steps(original.folder), read_steps(migrated.folder), share):
        return
    steps = rounding.last_step(result.comparisons, limits) + 1
    try:
        wide = dataclasses.replace(options, double=True, steps=steps)
        again = record_original(result.original.script, result.arguments, folder, wide)
        result.comparisons = rounding.tell(
            result.comparisons,
            read_steps(original.folder),
            read_steps(migrated.folder),
            read_steps(again.folder),
            limits,
            share,
        )
    except (RunFailed, NoReference) as problem:
        result.notes.append(f"no float64 run: {str(problem).splitlines()[0]}")
        return
    result.notes += [note for note in again.facts.notes if note not in original.facts.notes]
    count = sum(comparison.rounding for comparison in result.comparisons)
    if count:
        result.notes.append(RULE.format(count=count))

"""A verdict's frame, and what it says beside the comparison: how the sides were run, losses, what was left out."""

from __future__ import annotations

import contextlib
import dataclasses
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from tf2towers.launch.errors import LaunchError
from tf2towers.report.parity_result import ParityResult, Side
from tf2towers.report.parity_words import counted
from tf2towers.verify.compare import NotComparable
from tf2towers.verify.process import RunFailed
from tf2towers.verify.recording import Facts, read_steps
from tf2towers.verify.sides import Options, Recorded


def new_result(legacy: Path, migrated: Path, arguments: Sequence[str]) -> ParityResult:
    """An empty result, for scripts that are about to be run."""

    def side(title: str, script: Path) -> Side:
        try:
            return Side(title, script, script.read_text(encoding="utf-8", errors="replace"))
        except OSError:
            return Side(title, script, "")

    return ParityResult(side("original", legacy), side("migrated", migrated), list(arguments))


@contextlib.contextmanager
def under_way(
    result: ParityResult, options: Options | None, work: Path | None
) -> Iterator[tuple[Path, Options]]:
    """Where the recordings go, and how the scripts are run. What goes wrong in here is the result, an error.

    Args:
        options: as the user says; what the scripts write is kept apart.
        work: where the recordings stay; None: nowhere.
    """
    options, started = options or Options(), time.monotonic()
    with tempfile.TemporaryDirectory(prefix="tf2towers-") as folder:
        options = dataclasses.replace(options, scratch=options.scratch or Path(folder) / "scratch")
        try:
            yield work or Path(folder), options
        except (RunFailed, NotComparable, LaunchError) as problem:
            result.outcome, result.error = "error", str(problem)
    result.seconds = time.monotonic() - started


def note_side(side: Side, recorded: Recorded) -> None:
    """Writes into `side` what it ran on, how long, and what it says of itself."""
    side.tensorflow, side.python = recorded.facts.tensorflow, recorded.facts.python
    side.seconds, side.notes = recorded.seconds, list(recorded.facts.notes)


def note_open(result: ParityResult, pairs: Sequence[Sequence[str]]) -> None:
    """Says which accesses the original leaves the order of open (`tf2towers.verify.recorder.order`)."""
    if pairs:
        names = list(dict.fromkeys(f"{name} ({earlier}, {later})" for name, earlier, later in pairs))
        result.notes.append(
            f"the original leaves the order of {counted(len(names), 'pair')} open; both ran in the order they are "
            f"built in: {listed(names, 4)}"
        )


def note_losses(result: ParityResult, original: Recorded, migrated: Recorded, share: int) -> None:
    """Writes the mean loss of each step of both sides into the result; `share`: see `compare.share_of`."""
    for side, recorded, factor in ((result.original, original, 1), (result.migrated, migrated, share)):
        for step in read_steps(recorded.folder):
            if step.losses:
                side.losses.append(
                    float(sum(float(loss) for loss in step.losses)) * factor / len(step.losses)
                )


def note_facts(result: ParityResult, original: Facts, migrated: Facts) -> None:
    """Writes what could not be given, paired or compared into the result's notes."""
    if migrated.different_inputs:
        names = listed(migrated.different_inputs, 4)
        result.notes.append(
            f"the migrated script had other batches of its own than the original ({names}): it was given the original's"
        )
    if migrated.not_given:
        result.notes.append(
            f"batches of the original that the migrated script's training function does not take "
            f"({listed(migrated.not_given, 4)}): it ran on its own"
        )
    if migrated.unknown_inputs:
        result.notes.append(
            "the migrated script's training function takes what nothing is like that came into the original's graph "
            f"({listed(migrated.unknown_inputs, 4)}): it kept its own values"
        )
    for name, facts in (("original", original), ("migrated script", migrated)):
        if facts.without_gradient:
            result.notes.append(
                f"variables without a gradient in the {name}: {listed(facts.without_gradient)}"
            )
    if migrated.renamed:
        pairs = [f"{name} is {other}" for name, other in migrated.renamed.items()]
        result.notes.append(f"variables under other names: {listed(pairs)}")
    if migrated.unpaired:
        result.notes.append(
            f"variables of the migrated script that the original does not have: {listed(migrated.unpaired)}"
        )


def listed(names: Sequence[str], count: int = 6) -> str:
    """The first of some names, and how many more there are."""
    more = f" and {len(names) - count} more" if len(names) > count else ""
    return ", ".join(names[:count]) + more

"""Builds a result, and the notes on how both sides ran and on what was not compared."""

from __future__ import annotations

import contextlib
import dataclasses
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from tf2towers.launch.cluster import LaunchError
from tf2towers.report.parity_result import ParityResult, Side
from tf2towers.report.paths import counted, listed
from tf2towers.verify.comparison import NotComparable
from tf2towers.verify.process import RunFailed
from tf2towers.verify.recording import Facts
from tf2towers.verify.sides import Options, Recorded


def new_result(legacy: Path, migrated: Path, arguments: Sequence[str]) -> ParityResult:
    """An empty result, for scripts that are about to be run."""
    return ParityResult(Side("original", legacy), Side("migrated", migrated), list(arguments))


@contextlib.contextmanager
def prepare_runs(
    result: ParityResult, options: Options | None, work: Path | None
) -> Iterator[tuple[Path, Options]]:
    """A context for the runs: yields the recordings' folder and the options. A failure in it becomes the result.

    Args:
        options: the user's options; the yielded ones redirect what the scripts write.
        work: the folder that keeps the recordings; None: they are deleted.
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
    """Stores the versions, the run time and the notes of a recorded run in `side`."""
    side.tensorflow, side.python = recorded.facts.tensorflow, recorded.facts.python
    side.seconds, side.notes = recorded.seconds, list(recorded.facts.notes)


def note_open(result: ParityResult, pairs: Sequence[Sequence[str]]) -> None:
    """Adds a note on the accesses whose order the original's graph does not fix (`tf2towers.verify.recorder.order`)."""
    if pairs:
        names = list(dict.fromkeys(f"{name} ({earlier}, {later})" for name, earlier, later in pairs))
        result.notes.append(
            f"the original leaves the order of {counted(len(names), 'pair')} open; both ran in the order they are "
            f"built in: {listed(names, 4)}"
        )


def note_unrepeatable(result: ParityResult, difference: str) -> None:
    """Replaces the verdict by the outcome that two recordings of the original differ.

    Args:
        difference: where the recordings differ first.
    """
    result.outcome, result.diagnoses = "unrepeatable", []
    result.error = (
        f"nothing can be said\nIt was recorded twice; first difference: {difference}.\n"
        "Something races in it that its graph leaves in no order, or it reads the clock or unseeded random numbers. "
        "Order that in both scripts (tf.control_dependencies, a seed), or take one worker; then verify again"
    )


@contextlib.contextmanager
def note_failed_repeat(result: ParityResult) -> Iterator[None]:
    """A context for a second recording of the original; a failure in it becomes a note."""
    try:
        yield
    except (RunFailed, NotComparable, LaunchError) as problem:
        result.notes.append(f"the original could not be recorded twice: {str(problem).splitlines()[0]}")


def note_steps_of_rounding(result: ParityResult, steps: int, names: Sequence[str]) -> None:
    """Adds a note on the rule by which steps on two TensorFlows were judged one by one.

    Args:
        names: the variables whose gradients, or some of their elements, are rounding.
    """
    result.notes.append(
        f"rule 'rounding': TensorFlow {result.original.tensorflow} and {result.migrated.tensorflow} round "
        "differently, and an optimizer that divides by a gradient's size (Adam) turns that into steps"
        f"{f', here of {listed(names, 4)}' if names else ''}. So {counted(steps, 'step')} and the calls beside them "
        "were judged one by one, from the original's variables, by the original's gradients in float64"
    )


def note_facts(result: ParityResult, original: Facts, migrated: Facts) -> None:
    """Adds notes on the inputs and variables that could not be given, paired or compared."""
    renamed = [f"{name} is {other}" for name, other in migrated.renamed.items()]
    for names, most, sentence in (
        (
            migrated.different_inputs,
            4,
            "the migrated script had other batches, and was given the original's: {}",
        ),
        (migrated.not_given, 4, "batches of the original that the training function does not take: {}"),
        (
            migrated.unknown_inputs,
            4,
            "arguments of it without a counterpart in the original, left unchanged: {}",
        ),
        (original.without_gradient, 6, "variables without a gradient in the original: {}"),
        (migrated.without_gradient, 6, "variables without a gradient in the migrated script: {}"),
        (renamed, 6, "variables under other names: {}"),
        (migrated.unpaired, 6, "variables of the migrated script that the original does not have: {}"),
    ):
        if names:
            result.notes.append(sentence.format(listed(names, most)))

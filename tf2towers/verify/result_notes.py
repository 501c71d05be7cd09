"""Builds a result, and the notes on how both sides ran and on what was not compared."""

from __future__ import annotations

import contextlib
import dataclasses
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from tf2towers.launch.cluster import LaunchError
from tf2towers.report.parity_result import ParityResult, Side
from tf2towers.report.parity_text import ceiling
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
    result.notes += [
        f"the original leaves open {words}. Both ran in the order in which they are built"
        for words in open_words(pairs)
    ]


def open_words(pairs: Sequence[Sequence[str]]) -> list[str]:
    """What the order of these pairs of accesses leaves open, in words; empty where there are none."""
    names = list(dict.fromkeys(f"{name} ({earlier}, {later})" for name, earlier, later in pairs))
    return [f"the order of {counted(len(names), 'pair')}: {listed(names, 4)}"] if names else []


def is_repeatable(
    result: ParityResult, side: Side, first_apart: Callable[[], str], left_open: Sequence[str]
) -> bool:
    """True if a second recording of one side equals its first. If not, nothing can be said: UNREPEATABLE.

    Args:
        first_apart: records the side again; returns where the recordings differ first, or an empty text.
        left_open: what the program leaves to chance, as far as it is known.
    """
    title = "the original" if side is result.original else "the migrated script"
    try:
        difference = first_apart()
    except (RunFailed, NotComparable, LaunchError) as problem:
        difference = f"it ran once, and failed the second time: {str(problem).splitlines()[0]}"
    if difference:
        result.outcome, result.diagnoses, result.comparisons = "unrepeatable", [], []
        result.first_step, result.first_places = None, []
        what = (
            "; ".join(left_open)
            or "nothing that its graph shows (the clock, unseeded numbers, Python threads?)"
        )
        result.error = (
            f"{title} differs from itself, {difference}\nIt leaves open {what}.\n"
            "To do: order that in both scripts (tf.control_dependencies, a seed, one thread, one worker), and verify "
            "again. Until then nothing can be said of the migration."
        )
    return not difference


def note_rounding(result: ParityResult, found: Mapping[str, float]) -> None:
    """Adds a note on the rule by which calls on two TensorFlows were judged one by one.

    Args:
        found: the variables whose gradients, or some of their elements, are rounding, and the part that it moves.
    """
    names = [f"{name} (rounding moves its gradient by {ceiling(part)})" for name, part in found.items()]
    result.notes.append(
        f"rule 'rounding': TensorFlow {result.original.tensorflow} and {result.migrated.tensorflow} round "
        "differently, and an optimizer that divides by a gradient's size (Adam) turns that into steps"
        f"{f', here of {listed(names, 4)}' if names else ''}. So each call was made from the original's variables, and "
        "held against what the original makes of weights that differ in their last place"
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

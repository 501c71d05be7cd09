"""A comparison from its plan to its outcome: one training after the other, so that neither slows the other down."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from tf2towers.compare.dialect import find_shape, has_cluster, is_tf1
from tf2towers.compare.outcome import Outcome, machine
from tf2towers.compare.side import EnoughSteps, Side
from tf2towers.compare.summary import number, summarise
from tf2towers.compare.watch.__main__ import ALLOWED, WRITES
from tf2towers.launch.cluster import TASK_FLAGS, Shape
from tf2towers.launch.errors import LaunchError
from tf2towers.launch.job import TIMED_OUT, Job, ending_words
from tf2towers.launch.job import Outcome as Ending
from tf2towers.launch.plan import Plan as LaunchPlan
from tf2towers.report.paths import counted
from tf2towers.verify.process import last_lines, portable
from tf2towers.verify.program import makes_session_calls

WATCH = Path(__file__).parent / "watch" / "__main__.py"
SCRATCH = "{scratch}"  # in an argument: a folder of the side's own, gone afterwards
_LINE_EVERY = 5.0  # seconds


class CompareError(Exception):
    """A script could not be run, or never trained: the message says what is wrong, for the user."""


class Interrupted(Exception):
    """A signal to end came; `number` is its."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def compare(plan: argparse.Namespace, signals: Sequence[int] = ()) -> Outcome:
    """Runs both, with a line of progress now and then, and adds up. Nothing of them runs afterwards.

    Args:
        plan: the command's options. {scratch} in an argument stands for a folder of the side's own.
        signals: numbers of the signals to end, added to as they come.

    Raises:
        CompareError: a script is not there, failed, or never trained; or the time is over.
        Interrupted: a signal came.
    """
    shape = shape_of(plan.legacy, plan.modern, plan.ps, plan.workers, plan.task_flags)
    about = machine()
    draws = is_tf1(plan.legacy) and makes_session_calls(plan.modern)  # the same graph draws the same numbers
    sides = []
    for title, script, python in (
        ("legacy", plan.legacy, plan.legacy_python),
        ("modern", plan.modern, sys.executable),
    ):
        side = _Shown(title, script, 1 if shape is None else shape.workers, plan.steps)
        with tempfile.TemporaryDirectory(prefix="tf2towers-compare-", ignore_cleanup_errors=True) as folder:
            _run(side, python, plan, shape, Path(folder), draws, signals)
        sides.append(side)
    legacy, modern = sides
    return Outcome(
        legacy=legacy,
        modern=modern,
        summary=summarise(legacy, modern),
        commands=(
            shlex.join([*_command_words(plan.legacy_python, shape), str(plan.legacy), *plan.arguments]),
            shlex.join([*_command_words(sys.executable, shape), str(plan.modern), *plan.arguments]),
        ),
        arguments=plan.arguments,
        machine=about,
        how=_describe_run(draws, shape, sides),
    )


class _Shown(Side):
    """A side that prints a line now and then."""

    def begin(self) -> None:
        """Says that it begins."""
        super().begin()
        self._shown = time.monotonic()
        print(f"{self.title}: {self.script}", flush=True)

    def take(self, task: str, line: dict[str, object]) -> None:
        """Takes a report, and prints how far the side is, if it is time."""
        super().take(task, line)
        if time.monotonic() - self._shown >= _LINE_EVERY:
            self._shown = time.monotonic()
            losses = (step.loss for step in reversed(self.steps) if step.loss is not None)
            far = f"step {self.count}, loss {number(next(losses, None))}" if self.steps else "no step yet"
            print(f"{self.title}: {far}", flush=True)


def _run(
    side: Side,
    python: str,
    plan: argparse.Namespace,
    shape: Shape | None,
    folder: Path,
    draws: bool,
    signals: Sequence[int],
) -> None:
    """Runs one side to its end, or to its last step."""
    own = folder / "scratch"
    own.mkdir()
    (folder / "tmp").mkdir()
    tf1 = is_tf1(side.script)
    flags = {"--tf1": tf1, "--same-draws": draws, "--alone": shape is None}
    arguments = [
        *(flag for flag, wanted in flags.items() if wanted),
        str(side.script),
        *(word.replace(SCRATCH, str(own)) for word in plan.arguments),
    ]
    environment = {
        "TMPDIR": str(folder / "tmp"),
        "PYTHONHASHSEED": "0",
        WRITES: str(folder / "writes"),
        ALLOWED: os.pathsep.join(str(Path(allowed).resolve()) for allowed in plan.allow_writes),
    }
    watch = WATCH
    if tf1 and python != sys.executable:
        watch = portable(WATCH, folder / "watch")
        environment["TF2_BEHAVIOR"] = "0"  # an imported TensorFlow 2 leaves 1, which TF 1.15 would listen to
    tasks = shape or Shape(0, 1, "")
    try:
        launched = LaunchPlan(
            script=watch, args=arguments, ps=tasks.ps, workers=tasks.workers, env=environment, python=python,
            task_flags=tasks.task_flags, timeout=plan.timeout, linger=0.0,
        )  # fmt: skip
        side.begin()
        ending = Job(launched, side, signals).run()
    except EnoughSteps:
        ending = Ending(0)
    except LaunchError as problem:
        raise CompareError(str(problem)) from None
    finally:
        side.end()
    _check(side, ending, signals)


def _check(side: Side, ending: Ending, signals: Sequence[int]) -> None:
    if signals:
        raise Interrupted(signals[0])
    if side.resumed is not None:
        raise CompareError(
            f"{side.script} went on from a checkpoint, after {side.resumed} steps of an earlier run, and trainings are "
            "compared from their beginning: give it an empty folder ({scratch} in its arguments is one)"
        )
    last = "\n".join(f"  {line}" for line in last_lines(side.wrote).splitlines())
    wrote = f"; it wrote last:\n{last}" if last else "; it wrote nothing"
    if ending.status == TIMED_OUT and ending.failed is None:
        raise CompareError(f"{side.script}: {ending.reason}: it has made {side.count} steps{wrote}")
    if ending.status:
        who = f"{ending.failed.task.name} of " if ending.failed is not None and side.workers > 1 else ""
        raise CompareError(f"{who}{side.script} {ending_words(ending.status)}{wrote}")
    if not side.steps:
        raise CompareError(
            f"{side.script} ended and never trained: no session call and no tf.function that an optimizer's update "
            f"belongs to was seen; if an earlier run left it nothing to do: give it an empty folder, {SCRATCH}{wrote}"
        )


def _command_words(python: str, shape: Shape | None) -> list[str]:
    """The words of the command line that a user starts a script with."""
    if shape is None:
        return [python]
    words = ["tf2towers", "launch", f"--ps={shape.ps}", f"--workers={shape.workers}", f"--python={python}"]
    return [*words, *([] if shape.task_flags == TASK_FLAGS else [f"--task-flags={shape.task_flags}"]), "--"]


def _describe_run(same_draws: bool, shape: Shape | None, sides: Sequence[Side]) -> str:
    weights = "with the same initial weights" if same_draws else "each with initial weights of its own"
    said = (
        f"One run of each, one after the other, {weights}; a ratio is of steps, whatever a step's batch is."
    )
    if shape is None:
        return said
    together = [side.synchronous for side in sides]
    steps = "an update that all workers make together" if all(together) else "one worker's update"
    if any(together) and not all(together):
        steps = "an update: of all workers on one side, of one worker on the other"
    cluster = f"Each was a cluster of {describe_shape(shape)}"
    return f"{said} {cluster}; a step is {steps}, memory the sum of all tasks' peaks."


# -- whether the two are clusters, and of how many tasks ---------------------------------------------------------------


def shape_of(
    legacy: Path,
    modern: Path,
    ps: int | None = None,
    workers: int | None = None,
    task_flags: str | None = None,
) -> Shape | None:
    """The cluster to run each side as; None where both are of one process.

    Args:
        ps, workers, task_flags: as the user says; one that says nothing has 1 and 2 where a script starts servers.

    Raises:
        CompareError: one is a task of a cluster, and the other is not.
    """
    shape = find_shape((legacy, modern), ps, workers, task_flags)
    if shape is None:
        return None
    for mine, its in ((legacy, modern), (modern, legacy)):
        if has_cluster(mine) and not has_cluster(its):
            raise CompareError(
                f"{mine} is a task of a cluster, and {its} is a program of one process: it uses neither a "
                "tf.train.Server nor a strategy of several workers. Only two clusters or two programs of one process "
                "can be compared"
            )
    return shape


def describe_shape(shape: Shape) -> str:
    """Such as '1 parameter server and 2 workers'."""
    return f"{counted(shape.ps, 'parameter server')} and {counted(shape.workers, 'worker')}"

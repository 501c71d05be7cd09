"""Runs a comparison: one training after the other, so that neither slows the other down."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import signal
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tf2towers.compare.outcome import Outcome, machine
from tf2towers.compare.side import EnoughSteps, Side
from tf2towers.compare.watch.__main__ import ALLOWED, TEXTS, WRITES
from tf2towers.launch.cluster import LaunchError, Shape
from tf2towers.launch.job import TIMED_OUT, Job, ending_words
from tf2towers.launch.job import Outcome as Ending
from tf2towers.launch.plan import Plan
from tf2towers.launch.program import find_shape, has_cluster, is_tf1, makes_session_calls
from tf2towers.launch.signals import note_signals
from tf2towers.report.paths import counted
from tf2towers.verify.process import RunFailed, last_lines, portable
from tf2towers.verify.texts import Texts, texts_of

WATCH = Path(__file__).parent / "watch" / "__main__.py"
SCRATCH = "{scratch}"  # in an argument: stands for the side's own empty folder, which is removed afterwards


class CompareError(LaunchError):
    """A script could not be run, or never trained; the message tells the user why."""


def compare(options: argparse.Namespace) -> Outcome:
    """Runs both scripts and prints their progress; at its end none of their processes runs.

    Args:
        options: those of the command. In `arguments`, {scratch} stands for the side's own empty
            folder.

    Raises:
        CompareError: a script failed, never trained, or ran out of time.
        KeyboardInterrupt: on Ctrl-C, when all processes have ended. (After SIGTERM, its handler is
            called.)
    """
    legacy, modern = options.legacy, options.modern
    shape = find_shape((legacy, modern), options.ps, options.workers, options.task_flags, options.chief)
    if shape is not None:
        check_clusters(legacy, modern)
    about = machine()
    draws = is_tf1(legacy) and makes_session_calls(modern)  # both build one graph: same draws
    workers = 1 if shape is None else shape.workers
    chief = f"{'worker' if shape is None else shape.chief} 0"
    sides = (
        Side("legacy", legacy, workers, options.steps, chief),
        Side("modern", modern, workers, options.steps, chief),
    )
    pythons = options.legacy_python, sys.executable
    with note_signals() as signals:
        for side, python in zip(sides, pythons, strict=True):
            with tempfile.TemporaryDirectory(
                prefix="tf2towers-compare-", ignore_cleanup_errors=True
            ) as folder:
                _run(side, python, options, shape, Path(folder), draws, signals)
            if signals:
                break
    if signals:
        signal.raise_signal(signals[0])
    words = [
        [*_start_words(python, shape), str(side.script), *options.arguments]
        for side, python in zip(sides, pythons, strict=True)
    ]
    return Outcome(
        sides=sides,
        commands=(shlex.join(words[0]), shlex.join(words[1])),
        arguments=options.arguments,
        machine=about,
        how=_describe_run(draws, shape, [side.synchronous for side in sides]),
    )


def check_clusters(legacy: Path, modern: Path) -> None:
    """Raises CompareError where one script is a task of a cluster, and the other is not."""
    for script, other in ((legacy, modern), (modern, legacy)):
        if has_cluster(script) and not has_cluster(other):
            raise CompareError(
                f"{script} is a task of a cluster, and {other} is a program of one process: it uses neither a "
                "tf.train.Server nor a strategy of several workers. Only two clusters or two programs of one process "
                "can be compared"
            )


def _run(
    side: Side,
    python: str,
    options: argparse.Namespace,
    shape: Shape | None,
    folder: Path,
    draws: bool,
    signals: Sequence[int],
) -> None:
    """Runs one script to its end, or to its last requested step."""
    own = folder / "scratch"
    own.mkdir()
    (folder / "tmp").mkdir()
    tf1, texts = is_tf1(side.script), _texts_of(side)
    (folder / "texts.json").write_text(json.dumps(texts.settings()), encoding="utf-8")
    flags = {"--tf1": tf1, "--same-draws": draws, "--alone": shape is None}
    arguments = [
        *(flag for flag, wanted in flags.items() if wanted),
        str(side.script.resolve()),
        *(word.replace(SCRATCH, str(own)) for word in options.arguments),
    ]
    environment = {
        "TMPDIR": str(folder / "tmp"),
        "PYTHONHASHSEED": "0",
        TEXTS: str(folder / "texts.json"),
        WRITES: str(folder / "writes"),
        ALLOWED: os.pathsep.join(str(Path(allowed).resolve()) for allowed in options.allow_writes),
    }
    watch = WATCH
    if tf1 and python != sys.executable:
        watch = portable(WATCH, folder / "watch", texts.needed())
        environment["TF2_BEHAVIOR"] = "0"  # TensorFlow 2 leaves 1 in it, which TF 1.15 would obey
    tasks = shape or Shape(0, 1, "")
    side.begin()
    try:
        plan = Plan(
            script=watch, args=arguments, ps=tasks.ps, workers=tasks.workers, env=environment, python=python,
            program=side.script, task_flags=tasks.task_flags, timeout=options.timeout, linger=0.0, chief=tasks.chief,
        )  # fmt: skip
        ending = Job(plan, side, signals).run()
    except EnoughSteps:
        ending = Ending(0)
    finally:
        side.end()
    if not signals:
        _check(side, ending)


def _texts_of(side: Side) -> Texts:
    """What runs in place of a side's files, which its notes say."""
    try:
        texts = texts_of(side.script, original=side.title == "legacy")
    except RunFailed as problem:
        raise CompareError(str(problem)) from None
    side.notes += texts.notes
    return texts


def _check(side: Side, ending: Ending) -> None:
    """Raises CompareError where a side failed, resumed from a checkpoint, or never trained."""
    if side.resumed is not None:
        raise CompareError(
            f"{side.script} resumed from a checkpoint, after {side.resumed} steps of an earlier run, and trainings are "
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
            f"{side.script} ended and never trained: no session call or tf.function with an optimizer's update was "
            f"seen; if an earlier run left it nothing to do, give it an empty folder, {SCRATCH}{wrote}"
        )


def _start_words(python: str, shape: Shape | None) -> list[str]:
    """The words of the command line before the script."""
    if shape is None:
        return [python]
    words = ["tf2towers", "launch", f"--ps={shape.ps}", f"--workers={shape.workers}", f"--python={python}"]
    return [*words, *([] if shape.task_flags is None else [f"--task-flags={shape.task_flags}"]), "--"]


def _describe_run(same_draws: bool, shape: Shape | None, together: list[bool]) -> str:
    """Describes how the trainings ran; `together`: for each side, if workers update together."""
    weights = "with the same initial weights" if same_draws else "each with initial weights of its own"
    text = (
        f"One run of each, one after the other, {weights}. The ratio is of steps, whatever a step's batch is; what "
        "is measured once a run, such as memory, is without one."
    )
    if shape is None:
        return text
    steps = "an update that all workers make together" if all(together) else "one worker's update"
    if any(together) and not all(together):
        steps = "an update: of all workers on one side, of one worker on the other"
    tasks = f"{counted(shape.ps, 'parameter server')} and {counted(shape.workers, 'worker')}"
    return f"{text} Each was a cluster of {tasks}; a step is {steps}, memory the sum of all tasks' peaks."

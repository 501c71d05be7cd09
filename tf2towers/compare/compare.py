"""A comparison from its plan to its outcome."""

from __future__ import annotations

import os
import shlex
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tf2towers.compare.child import Child
from tf2towers.compare.cluster_side import ClusterChild, ClusterSide, describe_shape, launch_command, shape_of
from tf2towers.compare.dialect import is_tf1
from tf2towers.compare.errors import CompareError, has_resumed
from tf2towers.compare.guesses import batch_size_of, last_accuracy
from tf2towers.compare.live import Live
from tf2towers.compare.machine import cores, machine
from tf2towers.compare.outcome import Outcome
from tf2towers.compare.race import FEW_CORES, SECONDS, Interrupted, Race
from tf2towers.compare.side import Side
from tf2towers.compare.summary import summarise
from tf2towers.compare.watch.lines import ALLOWED, INITIAL_WEIGHTS, WRITES
from tf2towers.launch.cluster import TASK_FLAGS, Shape
from tf2towers.report.paths import short_names
from tf2towers.verify.process import RunFailed, portable
from tf2towers.verify.program import makes_session_calls
from tf2towers.verify.recording import Facts, FirstVariables, Step, write
from tf2towers.verify.sides import Options, record_calls, record_original

WATCH = Path(__file__).parent / "watch" / "__main__.py"
SCRATCH = "{scratch}"  # in an argument: a folder of the side's own, gone afterwards


@dataclass(frozen=True)
class Plan:
    """What is to be compared, and how.

    Attributes:
        arguments: the same for both; {scratch} in one stands for a folder of the side's own.
        steps: after which a training is ended; None: when it ends by itself.
        turns: seconds of a turn; None: by the machine, turns where it has fewer than 4 cores.
        at_once: never turns.
        batch_size: examples of a step; None: as seen.
        own_weights: the modern program is not given the initial weights of the legacy one.
        allow_writes: folders that the scripts may write to as they are.
        ps, workers, task_flags: of a cluster; None: as `shape_of` finds.
    """

    legacy: Path
    modern: Path
    arguments: Sequence[str] = ()
    steps: int | None = None
    turns: float | None = None
    at_once: bool = False
    batch_size: int | None = None
    legacy_python: str = sys.executable
    modern_python: str = sys.executable
    timeout: float | None = None
    own_weights: bool = False
    allow_writes: Sequence[str] = ()
    ps: int | None = None
    workers: int | None = None
    task_flags: str | None = None

    def turn_seconds(self, shape: Shape | None) -> float | None:
        """Seconds of a turn, for clusters or two processes; None: both run at once."""
        if self.at_once:
            return None
        few = FEW_CORES * (1 if shape is None else shape.workers)
        return self.turns or (SECONDS if cores() < few else None)


def compare(plan: Plan, signals: Sequence[int] = (), live: bool = True) -> Outcome:
    """Runs both and adds up. Nothing of them runs afterwards, and the scratch folder is gone.

    Raises:
        CompareError: a script is not there, failed, or never trained; or the time is over.
        Interrupted: a signal came.
    """
    for script in (plan.legacy, plan.modern):
        if not script.is_file():
            raise CompareError(f"{script} is not a file")
    shape = shape_of(plan.legacy, plan.modern, plan.ps, plan.workers, plan.task_flags)
    turn_seconds = plan.turn_seconds(shape)
    about = machine()
    legacy, modern = (
        _side(title, path, shape) for title, path in (("legacy", plan.legacy), ("modern", plan.modern))
    )
    with tempfile.TemporaryDirectory(prefix="tf2towers-compare-", ignore_cleanup_errors=True) as folder:
        pythons = (plan.legacy_python, plan.modern_python)
        view = Live((legacy, modern), plan.batch_size)
        draws = not plan.own_weights and is_tf1(plan.legacy) and makes_session_calls(plan.modern)
        weights = None
        if draws:  # the same graph draws the same numbers
            modern.given_weights = True
        else:
            weights = _first_weights(plan, shape, Path(folder, "weights"), signals, modern, live)
        children = [
            _child(legacy, pythons[0], plan, shape, Path(folder, legacy.title), None, draws),
            _child(modern, pythons[1], plan, shape, Path(folder, modern.title), weights, draws),
        ]
        look = view.show if live else lambda: None
        Race(children, turn_seconds, plan.steps, plan.timeout, signals, look).run()
        for side in (legacy, modern):
            assert side.log is not None
            printed = last_accuracy(side.log.read_text(encoding="utf-8", errors="replace"))
            side.accuracy = side.accuracy if side.accuracy is not None else printed
    return Outcome(
        legacy=legacy,
        modern=modern,
        summary=summarise(legacy, modern, plan.batch_size, batch_size_of(plan.arguments)),
        commands=tuple(  # type: ignore[arg-type]
            shlex.join([*_command_words(python, shape), str(side.script), *plan.arguments])
            for side, python in zip((legacy, modern), pythons, strict=True)
        ),
        arguments=plan.arguments,
        machine=about,
        how=_describe_run(turn_seconds, modern.given_weights, shape, (legacy, modern)),
    )


def _side(title: str, script: Path, shape: Shape | None) -> Side:
    return Side(title, script) if shape is None else ClusterSide(title, script, workers=shape.workers)


def _command_words(python: str, shape: Shape | None) -> list[str]:
    """The words of the command line that a user starts a script with."""
    if shape is None:
        return [python]
    words = ["tf2towers", "launch", f"--ps={shape.ps}", f"--workers={shape.workers}", f"--python={python}"]
    return [*words, *([] if shape.task_flags == TASK_FLAGS else [f"--task-flags={shape.task_flags}"]), "--"]


def _first_weights(
    plan: Plan, shape: Shape | None, folder: Path, signals: Sequence[int], modern: Side, explained: bool
) -> Path | None:
    """The recording whose weights the modern program begins with; None: its own, and a note of it says why."""
    if plan.own_weights:
        return None
    if not is_tf1(plan.legacy) or is_tf1(plan.modern):
        modern.notes.append("initial weights of its own: only a TF2 program is given those of a TF1 program")
        return None
    if explained:
        name, _ = short_names(plan.legacy, plan.modern)
        print(f"recording the first step of {name}, for its initial weights", flush=True)

    def tick() -> None:
        if signals:
            raise Interrupted(signals[0])

    python = None if plan.legacy_python == sys.executable else plan.legacy_python
    try:
        arguments = _own_arguments(plan.arguments, folder)
        return record_first_weights(
            plan.legacy, arguments, folder, python, plan.timeout, shape, tick, plan.allow_writes
        )
    except RunFailed as problem:
        raise CompareError(
            f"the initial weights of {plan.legacy} could not be recorded, for the modern program to begin with the "
            f"same ones: {problem}\n--own-weights lets each begin with its own"
        ) from None


def _own_arguments(arguments: Sequence[str], folder: Path) -> list[str]:
    """The arguments, with a new folder below `folder` for {scratch}."""
    own = folder / "scratch"
    own.mkdir(parents=True)
    return [word.replace(SCRATCH, str(own)) for word in arguments]


def _child(
    side: Side,
    python: str,
    plan: Plan,
    shape: Shape | None,
    folder: Path,
    weights: Path | None,
    draws: bool,
) -> Child:
    temporary = folder / "tmp"
    temporary.mkdir(parents=True)
    arguments = _own_arguments(plan.arguments, folder)
    dialect = ["--tf1"] if is_tf1(side.script) else []
    environment = {
        "TF_CPP_MIN_LOG_LEVEL": "2",
        **os.environ,
        "TMPDIR": str(temporary),
        "PYTHONUNBUFFERED": "1",
        "PYTHONHASHSEED": "0",
        WRITES: str(folder / "writes"),
        ALLOWED: os.pathsep.join(str(Path(allowed).resolve()) for allowed in plan.allow_writes),
    }
    environment.pop("TF2_BEHAVIOR", None)  # left by an imported TensorFlow 2: TF 1.15 would listen to it
    if weights is not None:
        environment[INITIAL_WEIGHTS] = str(weights)
    side.log = folder / "output.txt"
    arguments = [*dialect, *(["--same-draws"] if draws else []), str(side.script), *arguments]
    watch = WATCH if python == sys.executable or not dialect else portable(WATCH, folder / "watch")
    if shape is not None:
        command = launch_command(shape, python, watch, arguments)
        return ClusterChild(side, command, environment, side.log, folder / "lines")
    return Child(side, [python, str(watch), *arguments], environment, side.log)


def _describe_run(
    turn_seconds: float | None, given_weights: bool, shape: Shape | None, sides: Sequence[Side]
) -> str:
    weights = "with the same initial weights" if given_weights else "each with initial weights of its own"
    measured = (
        "Both ran at once, each slowed down by the other"
        if turn_seconds is None
        else f"They took turns of {turn_seconds:g} s, one held while the other ran; only the time that each ran counts"
    )
    said = f"One run of each, {weights}. {measured}."
    if shape is None:
        return said
    together = [isinstance(side, ClusterSide) and side.synchronous for side in sides]
    steps = "an update that all workers make together" if all(together) else "one worker's update"
    if any(together) and not all(together):
        steps = "an update: of all workers on one side, of one worker on the other"
    cluster = f"Each was a cluster of {describe_shape(shape)}"
    return f"{said} {cluster}; a step is {steps}, memory the sum of all tasks' peaks."


# -- the legacy program's first weights, recorded before the race, for the modern one to begin with --------------------


def record_first_weights(
    script: Path,
    arguments: Sequence[str],
    folder: Path,
    python: str | None,
    timeout: float | None,
    shape: Shape | None,
    tick: Callable[[], None],
    allowed: Sequence[str] = (),
) -> Path:
    """Runs it, as `tf2towers verify` does, until it has made a step, every worker one.

    Args:
        folder: for the recording and what the script writes.
        python: an interpreter with a real TF 1; None: this one, through the stand-ins.
        timeout: seconds it has; None: 10 minutes.
        shape: of a cluster; None: it is one process.
        tick: called again and again, of a cluster at the end; what it raises ends the run.
        allowed: folders that the script may write to as they are.

    Returns:
        The recording.

    Raises:
        RunFailed: it could not be recorded; the message says why.
        CompareError: it went on from a checkpoint.
    """
    options = Options(
        steps=1,
        legacy_python=python,
        scratch=folder / "scratch",
        allow=tuple(allowed),
        cluster=shape,
        progress=lambda *_: tick(),
    )
    if timeout is not None:
        options.timeout = timeout
    place = folder / "original"
    if shape is None:
        place = record_original(script, arguments, place, options).folder
    else:
        try:
            place = _chief_weights(script, arguments, place, options)
        finally:
            tick()
    step = FirstVariables(place).get("global_step")
    if step is not None and int(step) > 0:
        raise has_resumed(script, int(step))
    return place


def _chief_weights(script: Path, arguments: Sequence[str], folder: Path, options: Options) -> Path:
    """What the chief's variables were before its first training call, as the recording of a step."""
    run = record_calls(script, arguments, folder, options, migrated=False)
    first = Step()
    for call in run:
        if call.worker not in (None, 0) or call.trains:
            break
        first.variables |= call.values.get("variable", {})
    write(folder / "first", [first], Facts(trainable=run.trainable))
    return folder / "first"

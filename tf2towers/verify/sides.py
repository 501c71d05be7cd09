"""Runs and records both sides of a verification: a program's training steps, or every session call."""

from __future__ import annotations

import contextlib
import json
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from tf2towers.launch.cluster import Shape, tasks_of
from tf2towers.launch.job import TIMED_OUT, run_cluster
from tf2towers.launch.plan import Plan
from tf2towers.report.paths import listed
from tf2towers.verify.calls.call_comparison import Run
from tf2towers.verify.process import ROOT, RunFailed, changed_environment, last_lines, portable, raised, run
from tf2towers.verify.progress import show_progress
from tf2towers.verify.recorder.running import RECORDED
from tf2towers.verify.recording import Facts, already_there, read_facts
from tf2towers.verify.texts import texts_of
from tf2towers.verify.waiting import waiting_tasks

#: the program that runs a script and records it
RECORDER = ROOT / "tf2towers" / "verify" / "recorder" / "__main__.py"
_SETTLED = 2.0  # seconds for which all tasks that a script has started must have been recorded
_IDLE = 150.0  # seconds without work of any task: TensorFlow's own longest wait is two minutes, for a queue's thread
_STARTING = 20.0  # seconds in which a started process is expected to run a session
#: indexed by whether the script is the migrated one
TITLES = ("the original", "the migrated script")


@dataclass
class Options:
    """The options for running and comparing a pair of scripts.

    Attributes:
        steps: the number of training steps to record; in a cluster, for each worker.
        timeout: each side's time limit in seconds.
        legacy_python: an interpreter with a real TF 1; None: this one, through `tf.compat.v1`.
        continuous: whether recorded training steps draw the same random numbers as a run whose calls are recorded.
        tower_order: whether a migrated program averages gradients in tower order, as the TF1 code did.
        resources: whether the original's variables are resources, as the migrated program's.
        scratch: the folder to which the scripts' writes are redirected; None: they are not redirected.
        allow: folders to which the scripts may write directly.
        empty: folders that the scripts find empty at their beginning.
        beside: the folder of the original, from which a migrated script must not import modules.
        cluster: the cluster to run each script as; None: one process.
        progress: whether to show each run's progress on the standard error stream.
        tolerance: relative to the largest element; None: every bit counts, except by the named rules.
        gradients_only: whether to leave variables out of the comparison, for a program with another optimizer.
        in_step: a recording of the original, from which a program of sessions gets its variables: before each call of
            one whose calls are recorded, else before each training step.
        rounding: in such a run, how its weights are moved by one unit in their last place; 0: they stay. As of
            `tf2towers.verify.recorder.writing.Before`.
        queues: a recording of the original, whose elements of queues without a fixed order are given to this run.
        v2_behavior: whether the original ran on TF 2 and disabled eager execution only, as its migrated script says.
    """

    steps: int = 10
    timeout: float = 600.0
    legacy_python: str | None = None
    continuous: bool = False
    tower_order: bool = False
    resources: bool = False
    scratch: Path | None = None
    allow: tuple[str, ...] = ()
    empty: tuple[str, ...] = ()
    beside: Path | None = None
    cluster: Shape | None = None
    progress: bool = False
    tolerance: float | None = None
    gradients_only: bool = False
    in_step: Path | None = None
    rounding: int = 0
    queues: Path | None = None
    v2_behavior: bool = False


@dataclass
class Recorded:
    """The recording of one side's training steps."""

    folder: Path
    facts: Facts
    seconds: float
    steps: int


def record_original(
    script: Path, arguments: Sequence[str], folder: Path, options: Options, *, migrated: bool = False
) -> Recorded:
    """Runs a program of sessions, and records the values of its training steps.

    Args:
        migrated: whether `migrate` wrote the program; else it is an original.

    Raises:
        RunFailed: the program could not be run, or did not train.
    """
    given = {"record": "steps", "continuous": options.continuous}
    return _record(_Side(script, arguments, folder, options, migrated), given)


def record_migrated(
    script: Path, arguments: Sequence[str], folder: Path, options: Options, original: Path
) -> Recorded:
    """Runs a program of TF 2 functions with the original's variables and inputs, and records it.

    Raises:
        RunFailed: the program could not be run, or did not train.
    """
    side = _Side(script, arguments, folder, options, True)
    return _record(side, {"record": "functions", "original": str(original)})


def record_calls(
    script: Path, arguments: Sequence[str], folder: Path, options: Options, *, migrated: bool
) -> Run:
    """Runs a program of sessions from its beginning, and records every session call.

    In a cluster, each task runs as `tf2towers launch` starts it, and the workers' calls are recorded. The run ends
    before the first training call after `options.steps` of them.

    Args:
        script, arguments: the program; for a cluster, without the flags that name a task's job and index.
        options: options for the run.

    Raises:
        RunFailed: the program could not be run, or made no call.
    """
    side = _Side(script, arguments, folder, options, migrated)
    given = {"record": "calls", "rounded": options.legacy_python is not None}
    if options.cluster is None:
        seconds = side.run(given, lambda count: f"{count} session calls")
        run = Run(side.recorded_folders(), seconds)
    else:
        run = side.run_cluster(given, options.cluster)
    if not run.calls:
        raise RunFailed(f"{side.title} made no session call")
    return run


def _record(side: _Side, given: dict[str, object]) -> Recorded:
    def count_words(count: int) -> str:
        return f"{count} of {side.options.steps} training steps" if count else "no training step"

    seconds = side.run(given, count_words)
    facts, count = read_facts(side.folder), side.count_steps()
    if count:
        return Recorded(side.folder, facts, seconds, count)
    if not facts.optimizers:
        raise RunFailed(
            f"{side.title} ended without training: no optimizer known to verify (tf.train.Optimizer and its "
            "subclasses, Keras 3's) has applied gradients"
        )
    why = (
        facts.not_seen
        or already_there(facts.restored)
        or f"it builds an update, and made {facts.sessions} calls"
    )
    raise RunFailed(f"{side.title} ended without running an update that could be recorded: {why}")


def _is_recorded(folder: Path) -> bool:
    return (folder / "meta.json").exists()


class _OwnTasks:
    """The tasks that a script starts by itself (`tf2towers.verify.recorder.calls.own_tasks`)."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._since = folder, float("inf")

    def are_recorded(self) -> bool:
        """True if all tasks that run sessions are recorded, for some time, and no other has just been started."""
        begun, now = list(self._folder.glob("*.begun")), time.monotonic()
        own = any(self._folder.glob("step-*.npz")) and not _is_recorded(self._folder)
        if not begun or own or not all(_is_recorded(path.with_suffix("")) for path in begun):
            self._since = float("inf")
            return False
        self._since = min(self._since, now)
        started = [path.stat().st_mtime for path in self._folder.glob("*.started")]
        return now - self._since > _SETTLED and time.time() - max(started, default=0) > _STARTING


class _AllRecorded(Exception):
    """Raised when every worker's recording is complete."""


@dataclass
class _Side:
    """A script to be run under a recorder."""

    script: Path
    arguments: Sequence[str]
    folder: Path
    options: Options
    migrated: bool

    @property
    def title(self) -> str:
        """A title for messages, such as 'the original, train.py,'."""
        return f"{TITLES[self.migrated]}, {self.script.name},"

    @property
    def _other_python(self) -> bool:
        return not self.migrated and self.options.legacy_python is not None

    def count_steps(self) -> int:
        """The number of steps written so far, also by tasks that the script starts by itself."""
        return len(list(self.folder.rglob("step-*.npz")))

    def run(self, given: dict[str, object], count_words: Callable[[int], str]) -> float:
        """Runs the script to its end; returns the seconds that this took.

        Args:
            given: settings for the recorder.
            count_words: describes a number of steps in words.

        Raises:
            RunFailed: it could not be started, took too long, failed, or ended before its recording was complete.
        """
        log, began, status = self.folder.with_suffix(".log"), time.monotonic(), None
        command, timeout = self._command(given), self.options.timeout
        with contextlib.suppress(TimeoutError), self._shown():
            over = _OwnTasks(self.folder).are_recorded
            status = run(command, log, self._temporary(), timeout, self._other_python, over)
        if status == 0 and self.recorded_folders():
            return time.monotonic() - began
        written = log.read_text(encoding="utf-8", errors="replace").splitlines()
        tail, error = last_lines(written), raised(written)
        if status is None:
            ended = "; ".join(
                [
                    f"within {self.options.timeout:g} s (--timeout) and was stopped",
                    *waiting_tasks(self.folder, self.script),
                ]
            )
        elif "EOFError" in tail:
            ended = "and asked for input, which is not available"
        elif status == 0:
            ended = "and ended its process before the recording was complete"
        else:
            ended = f"and ended with {f'signal {-status}' if status < 0 else f'exit status {status}'}"
        made_so_far = f"made {count_words(self.count_steps())} {ended}; it wrote last:\n{tail}"
        if status and error:
            raise RunFailed(f"{self.title} failed: {error}\n{self._borrowed()}It {made_so_far}")
        raise RunFailed(f"{self.title} {made_so_far}")

    def recorded_folders(self) -> list[Path]:
        """The complete recordings: the script's own, and those of tasks that it has started by itself.

        Raises:
            RunFailed: a task has ended before its recording was complete.
        """
        lost = [
            begun.stem for begun in self.folder.glob("*.begun") if not _is_recorded(self.folder / begun.stem)
        ]
        if lost:
            raise RunFailed(
                f"{self.title} ended before {listed(sorted(lost), 4)}, which it starts by itself, had recorded all"
            )
        found = [self.folder, *sorted(begun.with_suffix("") for begun in self.folder.glob("*.begun"))]
        recorded = [folder for folder in found if _is_recorded(folder)]
        return [folder for folder in recorded if any(folder.glob("step-*.npz"))] or recorded[:1]

    def _shown(self, workers: int = 1) -> AbstractContextManager[None]:
        """A context for the run, which shows its progress where the options say so."""
        if not self.options.progress:
            return contextlib.nullcontext()
        return show_progress(self.folder, self.options.steps * workers)

    def _borrowed(self) -> str:
        """What a migrated script that failed has imported of its original, in a line; it may be why."""
        facts = self.folder / "meta.json"
        files = json.loads(facts.read_text(encoding="utf-8")).get("of_original") if facts.exists() else None
        return f"It imports files of the original's: {', '.join(files[:4])}\n" if files else ""

    def run_cluster(self, given: dict[str, object], shape: Shape) -> Run:
        """Runs the script as a cluster, each task under a recorder, until every worker's recording is complete.

        Raises:
            RunFailed: a task failed, or a worker's recording is incomplete.
        """
        began, title = time.monotonic(), f"{self.title} as a cluster:"
        environment = {**changed_environment(self._other_python), **self._temporary()}
        trained = [task for task in tasks_of(shape.ps, shape.workers, shape.chief) if task.trains]
        names = [task.name.replace(" ", "-") for task in trained]
        python, recorder, *command = self._command({**given, "workers": names})
        lines: list[str] = []
        recorded: set[str] = set()

        def look(task: str, line: str) -> None:
            lines.append(f"[{task}] {line}")
            del lines[:-2000]
            if line.strip() == RECORDED:
                recorded.add(task)
                if len(recorded) == shape.workers:
                    raise _AllRecorded

        with contextlib.suppress(_AllRecorded), self._shown(shape.workers):
            plan = Plan(
                script=recorder, args=command, ps=shape.ps, workers=shape.workers, chief=shape.chief, env=environment,
                python=python, program=Path(command[1]), task_flags=shape.task_flags, timeout=self.options.timeout,
                idle=_IDLE,
            )  # fmt: skip
            outcome, _ = run_cluster(plan, look)
            if outcome.status:
                failed = f"[{outcome.failed.task.name}] " if outcome.failed else None
                error = raised([line for line in lines if failed and line.startswith(failed)])
                reason = f"{outcome.reason}: {error}" if error else outcome.reason
                if outcome.status == TIMED_OUT:
                    reason = "; ".join([reason, *waiting_tasks(self.folder, self.script)])
                raise RunFailed(f"{title} {reason}; it wrote last:\n{last_lines(lines)}")
        folders = [self.folder / name for name in names]
        if not all((worker / "meta.json").exists() for worker in folders):
            raise RunFailed(f"{title} not every worker came to its end; it wrote last:\n{last_lines(lines)}")
        return Run(folders, time.monotonic() - began)

    def _command(self, given: dict[str, object]) -> list[str]:
        """The command to start, after emptying the folder and writing the recorder's settings beside it."""
        options, folder = self.options, self.folder
        texts = texts_of(self.script, original=not self.migrated)
        shutil.rmtree(folder, ignore_errors=True)  # removes the steps of an earlier run
        folder.mkdir(parents=True)
        settings = {
            "out": str(folder.resolve()),
            "steps": options.steps,
            "scratch": str(options.scratch / folder.name) if options.scratch is not None else None,
            "allow": [str(Path(allowed).resolve()) for allowed in options.allow],
            "empty": [str(Path(folder).resolve()) for folder in options.empty],
            "migrated": self.migrated,
            "stand_ins": not self.migrated and options.legacy_python is None,
            "v2_behavior": options.v2_behavior,
            "tower_order": options.tower_order,
            "resources": options.resources,
            "in_step": None if options.in_step is None else str(options.in_step.resolve()),
            "rounding": options.rounding,
            "queues": None if options.queues is None else str(options.queues.resolve()),
            "beside": str(options.beside.resolve()) if self.migrated and options.beside is not None else None,
            **texts.settings(),
            **given,
        }
        named = folder.with_suffix(".json").resolve()
        named.write_text(json.dumps(settings), encoding="utf-8")
        python, recorder = sys.executable, RECORDER
        if not self.migrated and options.legacy_python is not None:
            place = (options.scratch or folder).parent / "recorder"
            python, recorder = options.legacy_python, portable(recorder, place, texts.needed())
        return [python, str(recorder), str(named), str(self.script.resolve()), *self.arguments]

    def _temporary(self) -> dict[str, str]:
        """The environment variables that redirect temporary files to the scratch folder."""
        if self.options.scratch is None:
            return {}
        place = self.options.scratch / self.folder.name / "tmp"
        place.mkdir(parents=True, exist_ok=True)
        return {"TMPDIR": str(place)}

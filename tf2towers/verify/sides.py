"""Both sides of a proof, run and recorded: the training steps of a program, or every session call."""

from __future__ import annotations

import contextlib
import json
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tf2towers.launch.cluster import Shape
from tf2towers.launch.job import run_cluster
from tf2towers.launch.plan import Plan
from tf2towers.verify.calls.compare import Run
from tf2towers.verify.process import ROOT, RunFailed, changed_environment, last_lines, portable, raised, run
from tf2towers.verify.recorder.running import RECORDED
from tf2towers.verify.recording import Facts, read_facts

Progress = Callable[[str, int], object]
#: runs a script, and records it
RECORDER = ROOT / "tf2towers" / "verify" / "recorder" / "__main__.py"
#: of the original, and of the migrated script
TITLES = ("the original", "the migrated script")


@dataclass
class Options:
    """How a pair of scripts is run, and compared.

    Attributes:
        steps: how many training steps are recorded; of a continuous run in a cluster, of each worker.
        timeout: seconds that each side has.
        legacy_python: an interpreter with a real TF 1; None: this one, through `tf.compat.v1`.
        free: a race of the original stays one.
        continuous: of training steps that are recorded: with the random numbers of a run whose calls are.
        double: the original's gradients are computed in float64 as well.
        tower_order: a program that `migrate` wrote averages in tower order, as the TF1 code did.
        scratch: what the scripts write goes there; None: they write where they say.
        allow: folders that the scripts may write to as they are.
        beside: the folder of the original.
        cluster: each script is run as one; None: it is one process.
        progress: called with what runs, and its steps (or session calls) so far.
        tolerance: relative to the largest element; None: every bit, but for the named rules.
        gradients_only: variables are not compared, for a program with another optimizer.
        in_step: a recording of the original, whose variables a program of sessions is set to at each training step.
        queues: a recording of the original: what it took from queues that fill by chance is given to this run.
    """

    steps: int = 10
    timeout: float = 600.0
    legacy_python: str | None = None
    free: bool = False
    continuous: bool = False
    double: bool = False
    tower_order: bool = False
    scratch: Path | None = None
    allow: tuple[str, ...] = ()
    beside: Path | None = None
    cluster: Shape | None = None
    progress: Progress | None = None
    tolerance: float | None = None
    gradients_only: bool = False
    in_step: Path | None = None
    queues: Path | None = None


@dataclass
class Recorded:
    """A side that has been run."""

    folder: Path
    facts: Facts
    seconds: float
    steps: int


def record_original(
    script: Path, arguments: Sequence[str], folder: Path, options: Options, *, migrated: bool = False
) -> Recorded:
    """Runs a program of sessions and records what its training steps are made of.

    Args:
        migrated: it is one that `migrate` has written; else an original.

    Raises:
        RunFailed: it could not be run, or did not train.
    """
    given = {"record": "steps", "double": options.double, "continuous": options.continuous}
    return _record(_Side(script, arguments, folder, options, migrated), given)


def record_migrated(
    script: Path, arguments: Sequence[str], folder: Path, options: Options, original: Path
) -> Recorded:
    """Runs a program of TF 2 functions, gives it what the original had, and records it.

    Raises:
        RunFailed: it could not be run, or did not train.
    """
    side = _Side(script, arguments, folder, options, True)
    return _record(side, {"record": "functions", "original": str(original)})


def record_calls(
    script: Path, arguments: Sequence[str], folder: Path, options: Options, *, migrated: bool
) -> Run:
    """Runs a program of sessions from its beginning, and records every session call.

    Of a cluster each task runs as `tf2towers launch` starts it, and the calls of the workers are recorded. The run ends
    before the training call after `options.steps` of them.

    Args:
        script, arguments: what is run; of a cluster without the flags that tell a task which it is.
        options: how; `double` does not apply.

    Raises:
        RunFailed: it could not be run, or made no call.
    """
    side = _Side(script, arguments, folder, options, migrated)
    given = {"record": "calls", "rounded": options.legacy_python is not None}
    if options.cluster is None:
        run = Run([folder], side.run(given, lambda count: f"{count} session calls"))
    else:
        run = side.run_cluster(given, options.cluster)
    if not run.calls:
        raise RunFailed(f"{side.title} made no session call")
    return run


def _record(side: _Side, given: dict[str, object]) -> Recorded:
    def made(count: int) -> str:
        return f"{count} of {side.options.steps} training steps" if count else "no training step"

    seconds = side.run(given, made)
    facts, count = read_facts(side.folder), side.count_steps()
    if count:
        return Recorded(side.folder, facts, seconds, count)
    if not facts.optimizers:
        raise RunFailed(
            f"{side.title} ended without training: no optimizer known to verify (tf.train.Optimizer and its "
            "subclasses, Keras 3's) has applied gradients"
        )
    why = facts.not_seen or f"it builds one, and made {facts.sessions} calls"
    raise RunFailed(f"{side.title} ended without running an update that could be recorded: {why}")


class _AllRecorded(Exception):
    """Every worker's part is recorded."""


@dataclass
class _Side:
    """A script that is about to be run under a recorder."""

    script: Path
    arguments: Sequence[str]
    folder: Path
    options: Options
    migrated: bool

    @property
    def title(self) -> str:
        """As 'the original, train.py,'."""
        return f"{TITLES[self.migrated]}, {self.script.name},"

    @property
    def _other_python(self) -> bool:
        return not self.migrated and self.options.legacy_python is not None

    def count_steps(self) -> int:
        """How many steps have been written so far."""
        return len(list(self.folder.glob("step-*.npz")))

    def run(self, given: dict[str, object], made: Callable[[int], str]) -> float:
        """Runs it to its end; the seconds that it took.

        Args:
            given: settings for the recorder.
            made: so many steps, in words.

        Raises:
            RunFailed: it could not be started, took too long, failed, or was ended by something else than the recorder.
        """
        log, began, progress = self.folder.with_suffix(".log"), time.monotonic(), self.options.progress

        def tick() -> None:
            if progress is not None:
                progress(TITLES[self.migrated], self.count_steps())

        status = None
        with contextlib.suppress(TimeoutError):
            command, timeout = self._command(given), self.options.timeout
            status = run(command, log, self._temporary(), timeout, tick, self._other_python)
        if status == 0 and (self.folder / "meta.json").exists():
            return time.monotonic() - began
        written = log.read_text(encoding="utf-8", errors="replace").splitlines()
        tail, error = last_lines(written), raised(written)
        if status is None:
            ended = f"within {self.options.timeout:g} s (--timeout) and was stopped"
        elif "EOFError" in tail:
            ended = "and asks for input, and there is nobody to answer"
        elif status == 0:
            ended = "and ended the process by itself"
        else:
            ended = f"and ended with {f'signal {-status}' if status < 0 else f'exit status {status}'}"
        made_so_far = f"made {made(self.count_steps())} {ended}; it wrote last:\n{tail}"
        if status and error:
            raise RunFailed(f"{self.title} failed: {error}\n{self._borrowed()}It {made_so_far}")
        raise RunFailed(f"{self.title} {made_so_far}")

    def _borrowed(self) -> str:
        """What a migrated script that failed has imported of its original, in a line; it may be why."""
        facts = self.folder / "meta.json"
        files = json.loads(facts.read_text(encoding="utf-8")).get("of_original") if facts.exists() else None
        return f"It imports files of the original's: {', '.join(files[:4])}\n" if files else ""

    def run_cluster(self, given: dict[str, object], shape: Shape) -> Run:
        """Runs it as a cluster, each task under a recorder, until every worker's part is recorded.

        Raises:
            RunFailed: a task failed, or one of the workers did not come to its end.
        """
        began, title = time.monotonic(), f"{self.title} as a cluster:"
        environment = {**changed_environment(self._other_python), **self._temporary()}
        python, recorder, *command = self._command({**given, "workers": shape.workers})
        lines: list[str] = []
        recorded: set[str] = set()

        def look(task: str, line: str) -> None:
            lines.append(f"[{task}] {line}")
            del lines[:-200]
            if line.strip() == RECORDED:
                recorded.add(task)
                if len(recorded) == shape.workers:
                    raise _AllRecorded

        with contextlib.suppress(_AllRecorded):
            plan = Plan(
                script=recorder, args=command, ps=shape.ps, workers=shape.workers, env=environment, python=python,
                program=Path(command[1]), task_flags=shape.task_flags, timeout=self.options.timeout,
            )  # fmt: skip
            outcome, _ = run_cluster(plan, look)
            if outcome.status:
                raise RunFailed(f"{title} {outcome.reason}; it wrote last:\n{last_lines(lines)}")
        folders = [self.folder / f"worker-{index}" for index in range(shape.workers)]
        if not all((worker / "meta.json").exists() for worker in folders):
            raise RunFailed(f"{title} not every worker came to its end; it wrote last:\n{last_lines(lines)}")
        return Run(folders, time.monotonic() - began)

    def _command(self, given: dict[str, object]) -> list[str]:
        """What is started, once the folder is empty and the recorder's settings stand beside it."""
        options, folder = self.options, self.folder
        shutil.rmtree(folder, ignore_errors=True)  # an earlier run's steps are not this one's
        folder.mkdir(parents=True)
        settings = {
            "out": str(folder.resolve()),
            "steps": options.steps,
            "seed": 0,
            "scratch": str(options.scratch / folder.name) if options.scratch is not None else None,
            "allow": [str(Path(allowed).resolve()) for allowed in options.allow],
            "migrated": self.migrated,
            "stand_ins": not self.migrated and options.legacy_python is None,
            "tower_order": options.tower_order,
            "free": options.free,
            "in_step": None if options.in_step is None else str(options.in_step.resolve()),
            "queues": None if options.queues is None or options.free else str(options.queues.resolve()),
            "beside": str(options.beside.resolve()) if self.migrated and options.beside is not None else None,
            **given,
        }
        named = folder.with_suffix(".json").resolve()
        named.write_text(json.dumps(settings), encoding="utf-8")
        python, recorder = sys.executable, RECORDER
        if not self.migrated and options.legacy_python is not None:
            python, recorder = (
                options.legacy_python,
                portable(recorder, (options.scratch or folder).parent / "recorder"),
            )
        return [python, str(recorder), str(named), str(self.script.resolve()), *self.arguments]

    def _temporary(self) -> dict[str, str]:
        """The environment in which temporary files, too, are kept with the rest of what the script writes."""
        if self.options.scratch is None:
            return {}
        place = self.options.scratch / self.folder.name / "tmp"
        place.mkdir(parents=True, exist_ok=True)
        return {"TMPDIR": str(place)}

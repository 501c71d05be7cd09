"""Both sides of a proof, run and recorded: the training steps of a program, or every session call."""

from __future__ import annotations

import contextlib
import json
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tf2towers.launch.cluster import Shape
from tf2towers.verify.calls.recording import Run
from tf2towers.verify.cluster import in_turns, run_recorded
from tf2towers.verify.process import ROOT, RunFailed, changed_environment, last_lines, portable, raised, run
from tf2towers.verify.recording import Facts, read_facts

Progress = Callable[[str, int], object]
#: runs a program of sessions: a TF1 script, or one that `migrate` has written
RECORDER = ROOT / "tf2towers" / "verify" / "recorder" / "__main__.py"
#: runs a program of TF 2 functions
FUNCTIONS = ROOT / "tf2towers" / "verify" / "functions" / "__main__.py"
#: of the original, and of the migrated script
TITLES = ("the original", "the migrated script")


@dataclass
class Options:
    """How a pair of scripts is run, and compared.

    Attributes:
        steps: how many training steps are recorded; of a continuous run in a cluster, of each worker.
        timeout: seconds that each side has.
        legacy_python: an interpreter with a real TF 1; None: this one, through `tf.compat.v1`.
        free: a race of the original stays one; a program of functions is set to the original's variables once only.
        continuous: of training steps that are recorded: with the random numbers of a run whose calls are.
        layers: the forward pass is noted, layer by layer.
        double: the original's losses and gradients are computed in float64 as well.
        tower_order: a program that `migrate` wrote averages in tower order, as the TF1 code did.
        names: the original's names of variables to the program's, where they cannot be found.
        seed: of Python's, NumPy's and TensorFlow's global generators, on both sides.
        scratch: what the scripts write goes there; None: they write where they say.
        allow: folders that the scripts may write to as they are.
        beside: the folder of the original.
        cluster: each script is run as one; None: it is one process.
        progress: called with what runs, and its steps (or session calls) so far.
        tolerance: relative to the largest element; None: every bit, but for the named rules.
        gradients_only: variables are not compared, for a program with another optimizer.
        towers: so many are expected.
        in_step: a recording of the original, whose variables a program of sessions is set to at each training step.
        queues: a recording of the original: what it took from queues that fill by chance is given to this run.
    """

    steps: int = 10
    timeout: float = 600.0
    legacy_python: str | None = None
    free: bool = False
    continuous: bool = False
    layers: bool = False
    double: bool = False
    tower_order: bool = False
    names: dict[str, str] = field(default_factory=dict)
    seed: int = 0
    scratch: Path | None = None
    allow: tuple[str, ...] = ()
    beside: Path | None = None
    cluster: Shape | None = None
    progress: Progress | None = None
    tolerance: float | None = None
    gradients_only: bool = False
    towers: int | None = None
    in_step: Path | None = None
    queues: Path | None = None

    @property
    def lockstep(self) -> bool:
        """Whether each step of a program of functions starts from the original's variables."""
        return not self.free

    def check_towers(self, seen: int) -> None:
        """Raises RunFailed where the original has another number than was expected."""
        if self.towers not in (None, seen):
            raise RunFailed(f"the original has {seen} towers, and --replicas says {self.towers}")


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
    given: dict[str, object] = {
        "record": "steps",
        "layers": options.layers,
        "double": options.double,
        "continuous": options.continuous,
        **_of_program(options, migrated),
    }
    title = f"{TITLES[migrated]}, {script.name},"
    return _record(RECORDER, title, given, script, arguments, folder, options, migrated)


def record_migrated(
    script: Path, arguments: Sequence[str], folder: Path, options: Options, original: Path | None
) -> Recorded:
    """Runs a program of TF 2 functions, gives it what the original had, and records it.

    Raises:
        RunFailed: it could not be run, or did not train.
    """
    given: dict[str, object] = {
        "layers": options.layers,
        "original": None if original is None else str(original),
        "lockstep": options.lockstep,
        "names": options.names,
    }
    title = f"{TITLES[True]}, {script.name},"
    return _record(FUNCTIONS, title, given, script, arguments, folder, options, True)


def _record(
    recorder: Path,
    title: str,
    given: dict[str, object],
    script: Path,
    arguments: Sequence[str],
    folder: Path,
    options: Options,
    migrated: bool,
) -> Recorded:
    def made(count: int) -> str:
        return f"{count} of {options.steps} training steps" if count else "no training step"

    command = [*prepared(folder, given, options), str(script.resolve()), *arguments]
    seconds = run_recorder(recorder, command, title, folder, options, made, migrated)
    facts, count = read_facts(folder), count_steps(folder)
    if count:
        return Recorded(folder, facts, seconds, count)
    if not facts.optimizers:
        raise RunFailed(
            f"{title} ended without training: no optimizer known to verify (tf.train.Optimizer and its "
            "subclasses, Keras 3's) has applied gradients"
        )
    why = facts.not_seen or f"it builds one, and made {facts.sessions} calls"
    raise RunFailed(f"{title} ended without running an update that could be recorded: {why}")


def record_calls(
    script: Path, arguments: Sequence[str], folder: Path, options: Options, *, migrated: bool
) -> Run:
    """Runs a program of sessions from its beginning, and records every session call.

    Of a cluster each task runs as `tf2towers launch` starts it, and the calls of the workers are recorded. The run ends
    before the training call after `options.steps` of them.

    Args:
        script, arguments: what is run; of a cluster without the flags that tell a task which it is.
        options: how; `lockstep`, `layers`, `double` and `names` do not apply.

    Raises:
        RunFailed: it could not be run, or made no call.
    """
    title = f"{TITLES[migrated]}, {script.name},"
    given = {
        "record": "calls", "rounded": options.legacy_python is not None, **_of_program(options, migrated)
    }  # fmt: skip
    command = [str(script.resolve()), *arguments]
    if options.cluster is None:
        command = [*prepared(folder, given, options), *command]
        seconds = run_recorder(
            RECORDER, command, title, folder, options, lambda count: f"{count} session calls", migrated
        )
        run = Run([folder], seconds)
    else:
        workers, began = options.cluster.workers, time.monotonic()
        other = not migrated and options.legacy_python is not None
        python, recorder = started(RECORDER, folder, options, migrated)
        environment = {**changed_environment(other), **temporary(folder, options)}
        with in_turns(workers) as turns:
            command = [*prepared(folder, {**given, **turns}, options), *command]
            lines = run_recorded(
                title, python, recorder, command, options.cluster, environment, options.timeout
            )
        title += " as a cluster:"
        folders = [folder / f"worker-{index}" for index in range(workers)]
        if not all((worker / "meta.json").exists() for worker in folders):
            raise RunFailed(f"{title} not every worker came to its end; it wrote last:\n{last_lines(lines)}")
        run = Run(folders, time.monotonic() - began)
    if not run.calls:
        raise RunFailed(f"{title} made no session call")
    return run


def _of_program(options: Options, migrated: bool) -> dict[str, object]:
    """What a recorder is told of a program of sessions."""
    return {
        "migrated": migrated,
        "stand_ins": not migrated and options.legacy_python is None,
        "tower_order": options.tower_order,
        "free": options.free,
        "queues": None if options.queues is None or options.free else str(options.queues.resolve()),
        "in_step": None if options.in_step is None else str(options.in_step.resolve()),
        "beside": str(options.beside.resolve()) if migrated and options.beside is not None else None,
    }


def started(recorder: Path, folder: Path, options: Options, migrated: bool) -> tuple[str, Path]:
    """The interpreter of a side, and the file that it starts: a copy where it is not this one."""
    if migrated or options.legacy_python is None:
        return sys.executable, recorder
    return options.legacy_python, portable(recorder, (options.scratch or folder).parent / "recorder")


def prepared(folder: Path, given: dict[str, object], options: Options) -> list[str]:
    """Empties a folder for a recorder, and writes its settings beside it; returns the argument that names them."""
    shutil.rmtree(folder, ignore_errors=True)  # an earlier run's steps are not this one's
    folder.mkdir(parents=True)
    settings = {
        "out": str(folder.resolve()),
        "steps": options.steps,
        "seed": options.seed,
        "scratch": None,
        "allow": [str(Path(folder).resolve()) for folder in options.allow],
        **given,
    }
    if options.scratch is not None:
        settings["scratch"] = str(options.scratch / folder.name)
    folder.with_suffix(".json").write_text(json.dumps(settings), encoding="utf-8")
    return [str(folder.with_suffix(".json").resolve())]


def temporary(folder: Path, options: Options) -> dict[str, str]:
    """The environment in which temporary files, too, are kept with the rest of what a recorded script writes."""
    if options.scratch is None:
        return {}
    place = options.scratch / folder.name / "tmp"
    place.mkdir(parents=True, exist_ok=True)
    return {"TMPDIR": str(place)}


def run_recorder(
    recorder: Path,
    command: Sequence[str],
    title: str,
    folder: Path,
    options: Options,
    made: Callable[[int], str],
    migrated: bool,
) -> float:
    """Runs a recorder to its end; the seconds that it took.

    Args:
        recorder: the file that is started.
        command: its settings, the script and its arguments.
        made: so many steps, in words.

    Raises:
        RunFailed: it could not be started, took too long, failed, or was ended by something else than the recorder.
    """
    log, began = folder.with_suffix(".log"), time.monotonic()
    python, recorder = started(recorder, folder, options, migrated)

    def tick() -> None:
        if options.progress is not None:
            options.progress(title.partition(",")[0], count_steps(folder))

    status = None
    with contextlib.suppress(TimeoutError):
        status = run(
            [python, str(recorder), *command], log, temporary(folder, options), options.timeout, tick,
            not migrated and options.legacy_python is not None,
        )  # fmt: skip
    if status == 0 and (folder / "meta.json").exists():
        return time.monotonic() - began
    written = log.read_text(encoding="utf-8", errors="replace").splitlines()
    tail, error = last_lines(written), raised(written)
    if status is None:
        ended = f"within {options.timeout:g} s (--timeout) and was stopped"
    elif "EOFError" in tail:
        ended = "and asks for input, and there is nobody to answer"
    elif status == 0:
        ended = "and ended the process by itself"
    else:
        ended = f"and ended with {f'signal {-status}' if status < 0 else f'exit status {status}'}"
    made_so_far = f"made {made(count_steps(folder))} {ended}"
    if status and error:
        raise RunFailed(f"{title} failed: {error}\nIt {made_so_far}; it wrote last:\n{tail}")
    raise RunFailed(f"{title} {made_so_far}; it wrote last:\n{tail}")


def count_steps(folder: Path) -> int:
    """How many steps have been written to a folder."""
    return len(list(folder.glob("step-*.npz")))

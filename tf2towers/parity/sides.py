"""Both sides of a proof: the original recorded, then the migrated program on what the original was given."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tf2towers.parity.process import ROOT, Process, RunFailed
from tf2towers.parity.recording import Facts, read_facts

Progress = Callable[[str, int], object]


@dataclass
class Options:
    """How a pair of scripts is run.

    Attributes:
        steps: how many training steps are recorded.
        timeout: seconds that each side has.
        legacy_python: an interpreter with a real TF 1; None: this one, through `tf.compat.v1`.
        lockstep: each step of the migrated program starts from the original's variables; else the first one only.
        layers: the forward pass is noted, layer by layer.
        double: the original's losses and gradients are computed in float64 as well.
        tower_order: a program on the runtime averages in tower order, as the TF1 code did.
        names: the original's names of variables to the program's, where they cannot be found.
        seed: of Python's, NumPy's and TensorFlow's global generators, on both sides.
        scratch: what the scripts write goes there; None: they write where they say.
    """

    steps: int = 10
    timeout: float = 600.0
    legacy_python: str | None = None
    lockstep: bool = True
    layers: bool = False
    double: bool = False
    tower_order: bool = False
    names: dict[str, str] = field(default_factory=dict)
    seed: int = 0
    scratch: Path | None = None
    cwd: Path | None = None


@dataclass
class Recorded:
    """A side that has been run."""

    folder: Path
    facts: Facts
    seconds: float
    steps: int


def record_original(
    script: Path, arguments: Sequence[str], folder: Path, options: Options, progress: Progress | None = None
) -> Recorded:
    """Runs the original and records it.

    Raises:
        RunFailed: it could not be run, or did not train.
    """
    given = {
        "out": str(folder),
        "steps": options.steps,
        "layers": options.layers,
        "double": options.double,
        "seed": options.seed,
        "stand_ins": options.legacy_python is None,
    }
    command = [options.legacy_python or sys.executable, str(ROOT / "tf2towers" / "recorder")]
    return _record("the original", command, given, script, arguments, folder, options, progress)


def record_migrated(
    script: Path,
    arguments: Sequence[str],
    folder: Path,
    options: Options,
    original: Path | None,
    progress: Progress | None = None,
) -> Recorded:
    """Runs the migrated program, gives it what the original had, and records it.

    Raises:
        RunFailed: it could not be run, or did not train.
    """
    given = {
        "out": str(folder),
        "steps": options.steps,
        "layers": options.layers,
        "seed": options.seed,
        "original": None if original is None else str(original),
        "lockstep": options.lockstep,
        "tower_order": options.tower_order,
        "names": options.names,
    }
    command = [sys.executable, "-m", "tf2towers.parity.migrated"]
    return _record("the migrated script", command, given, script, arguments, folder, options, progress)


def _record(
    title: str,
    command: Sequence[str],
    given: dict[str, object],
    script: Path,
    arguments: Sequence[str],
    folder: Path,
    options: Options,
    progress: Progress | None,
) -> Recorded:
    shutil.rmtree(folder, ignore_errors=True)  # an earlier run's steps are not this one's
    folder.mkdir(parents=True)
    environment = {}
    if options.scratch is not None:
        own = options.scratch / folder.name
        (own / "tmp").mkdir(parents=True, exist_ok=True)
        environment["TMPDIR"] = str(own / "tmp")
        given = {**given, "scratch": str(own)}
    settings = folder.with_suffix(".json")
    settings.write_text(json.dumps(given), encoding="utf-8")
    process = Process(
        [*command, str(settings.resolve()), str(script.resolve()), *arguments],
        folder.with_suffix(".log"),
        environment,
        options.cwd,
    )

    def count() -> int:
        return len(list(folder.glob("step-*.npz")))

    try:
        status = process.wait(options.timeout, None if progress is None else lambda: progress(title, count()))
    except TimeoutError:
        raise RunFailed(_too_slow(title, script, count(), options, process)) from None
    if status == 0 and count() and (folder / "meta.json").exists():
        return Recorded(folder, read_facts(folder), process.seconds, count())
    facts = read_facts(folder) if (folder / "meta.json").exists() else None
    raise RunFailed(_why(title, script, status, count(), facts, process))


def _too_slow(title: str, script: Path, steps: int, options: Options, process: Process) -> str:
    made = f"{steps} of {options.steps} training steps" if steps else "no training step"
    return (
        f"{title}, {script.name}, made {made} within {options.timeout:g} s (--timeout) and was stopped; "
        f"it wrote last:\n{process.tail(8)}"
    )


def _why(title: str, script: Path, status: int, steps: int, facts: Facts | None, process: Process) -> str:
    tail = process.tail()
    if status:
        if "EOFError" in tail:
            return f"{title}, {script.name}, asks for input, and there is nobody to answer; it wrote last:\n{tail}"
        ended = f"signal {-status}" if status < 0 else f"exit status {status}"
        made = f" after {steps} training steps" if steps else " before its first training step"
        return f"{title}, {script.name}, ended with {ended}{made}; it wrote last:\n{tail}"
    if facts is None:
        return f"{title}, {script.name}, ended the process by itself before a training step; it wrote last:\n{tail}"
    if not facts.optimizers:
        return (
            f"{title}, {script.name}, ended without training: no optimizer known to verify (tf.train.Optimizer and its "
            "subclasses, Keras 3's) has applied gradients"
        )
    why = facts.not_seen or f"it builds one, and made {facts.sessions} calls"
    return f"{title}, {script.name}, ended without running an update that could be recorded: {why}"

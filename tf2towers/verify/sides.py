"""Both sides of a proof: the original recorded, then the migrated program on what the original was given."""

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
from tf2towers.verify.process import ROOT, RunFailed, last_lines, run
from tf2towers.verify.recording import Facts, read_facts

Progress = Callable[[str, int], object]
#: runs a script of TF1, or an exact migration
RECORDER = ROOT / "tf2towers" / "verify" / "recorder" / "__main__.py"
#: runs a program of TF2
MIGRATED = ROOT / "tf2towers" / "verify" / "functions" / "__main__.py"


@dataclass
class Options:
    """How a pair of scripts is run, and compared.

    Attributes:
        steps: how many training steps are recorded; of a continuous run in a cluster, of each worker.
        timeout: seconds that each side has.
        legacy_python: an interpreter with a real TF 1; None: this one, through `tf.compat.v1`.
        lockstep: each step of the migrated program starts from the original's variables; else the first one only.
        layers: the forward pass is noted, layer by layer.
        double: the original's losses and gradients are computed in float64 as well.
        tower_order: a program on the runtime averages in tower order, as the TF1 code did.
        names: the original's names of variables to the program's, where they cannot be found.
        seed: of Python's, NumPy's and TensorFlow's global generators, on both sides.
        scratch: what the scripts write goes there; None: they write where they say.
        cluster: each script is run as one; None: it is one process.
        progress: called with what runs, and its steps (or session calls) so far.
        tolerance: relative to the largest element; None: every bit, but for the named rules.
        gradients_only: variables are not compared, for a program with another optimizer.
        towers: so many are expected.
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
    cluster: Shape | None = None
    progress: Progress | None = None
    tolerance: float | None = None
    gradients_only: bool = False
    towers: int | None = None

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


def record_original(script: Path, arguments: Sequence[str], folder: Path, options: Options) -> Recorded:
    """Runs the original and records it.

    Raises:
        RunFailed: it could not be run, or did not train.
    """
    given: dict[str, object] = {
        "layers": options.layers,
        "double": options.double,
        "stand_ins": options.legacy_python is None,
    }
    python = options.legacy_python or sys.executable
    return _record([python, str(RECORDER)], "the original", given, script, arguments, folder, options)


def record_migrated(
    script: Path, arguments: Sequence[str], folder: Path, options: Options, original: Path | None
) -> Recorded:
    """Runs the migrated program, gives it what the original had, and records it.

    Raises:
        RunFailed: it could not be run, or did not train.
    """
    given: dict[str, object] = {
        "layers": options.layers,
        "original": None if original is None else str(original),
        "lockstep": options.lockstep,
        "tower_order": options.tower_order,
        "names": options.names,
    }
    return _record(
        [sys.executable, str(MIGRATED)], "the migrated script", given, script, arguments, folder, options
    )


def _record(
    command: Sequence[str],
    title: str,
    given: dict[str, object],
    script: Path,
    arguments: Sequence[str],
    folder: Path,
    options: Options,
) -> Recorded:
    def made(count: int) -> str:
        return f"{count} of {options.steps} training steps" if count else "no training step"

    command = [*command, *prepared(folder, given, options), str(script.resolve()), *arguments]
    seconds = run_recorder(command, f"{title}, {script.name},", folder, options, made)
    facts, count = read_facts(folder), count_steps(folder)
    if count:
        return Recorded(folder, facts, seconds, count)
    if not facts.optimizers:
        raise RunFailed(
            f"{title}, {script.name}, ended without training: no optimizer known to verify (tf.train.Optimizer and its "
            "subclasses, Keras 3's) has applied gradients"
        )
    why = facts.not_seen or f"it builds one, and made {facts.sessions} calls"
    raise RunFailed(f"{title}, {script.name}, ended without running an update that could be recorded: {why}")


def prepared(folder: Path, given: dict[str, object], options: Options) -> list[str]:
    """Empties a folder for a recorder, and writes its settings beside it; returns the argument that names them."""
    shutil.rmtree(folder, ignore_errors=True)  # an earlier run's steps are not this one's
    folder.mkdir(parents=True)
    settings = {
        "out": str(folder.resolve()),
        "steps": options.steps,
        "seed": options.seed,
        "scratch": None,
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
    command: Sequence[str], title: str, folder: Path, options: Options, made: Callable[[int], str]
) -> float:
    """Runs a recorder to its end; the seconds that it took.

    Args:
        command: with the recorder's settings, the script and its arguments.
        made: so many steps, in words.

    Raises:
        RunFailed: it could not be started, took too long, failed, or was ended by something else than the recorder.
    """
    log, began = folder.with_suffix(".log"), time.monotonic()

    def tick() -> None:
        if options.progress is not None:
            options.progress(title.partition(",")[0], count_steps(folder))

    status = None
    with contextlib.suppress(TimeoutError):
        status = run(command, log, temporary(folder, options), options.timeout, tick)
    if status == 0 and (folder / "meta.json").exists():
        return time.monotonic() - began
    tail = last_lines(log.read_text(encoding="utf-8", errors="replace").splitlines())
    if status is None:
        ended = f"within {options.timeout:g} s (--timeout) and was stopped"
    elif "EOFError" in tail:
        ended = "and asks for input, and there is nobody to answer"
    elif status == 0:
        ended = "and ended the process by itself"
    else:
        ended = f"and ended with {f'signal {-status}' if status < 0 else f'exit status {status}'}"
    raise RunFailed(f"{title} made {made(count_steps(folder))} {ended}; it wrote last:\n{tail}")


def count_steps(folder: Path) -> int:
    """How many steps have been written to a folder."""
    return len(list(folder.glob("step-*.npz")))

"""Both sides of a proof of a parameter-server script: the original's cluster recorded, then the migrated one's."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from tf2towers.launch.cluster import TASK_FLAGS
from tf2towers.launch.local import ClusterRun, run_cluster
from tf2towers.parity.cluster.merging import count_updates, facts_of, merged
from tf2towers.parity.cluster.migrated_task import RECORDED_ALL
from tf2towers.parity.cluster.turnstile import Turnstile
from tf2towers.parity.process import ENVIRONMENT, ROOT, RunFailed, last_lines
from tf2towers.parity.recording import Facts
from tf2towers.parity.sides import Options, Recorded
from tf2towers.recorder.cluster.task import RECORDED
from tf2towers.recorder.writing import Writer
from tf2towers.source.errors import SourceError
from tf2towers.source.local_imports import local_modules
from tf2towers.source.script import Script

_RECORDER = ROOT / "tf2towers" / "recorder" / "__main__.py"
_MIGRATED = Path(__file__).with_name("migrated_task.py")
_SERIAL = "TF2TOWERS_SERIAL_SCHEDULE"  # the runtime's own: one worker's step at a time

OnLine = Callable[[str, str], object]


@dataclasses.dataclass
class Shape:
    """A cluster on this machine.

    Attributes:
        ps, workers: how many tasks of each kind.
        task_flags: the template of the flags that tell a task which it is; see `tf2towers launch`.
    """

    ps: int = 1
    workers: int = 2
    task_flags: str = TASK_FLAGS


class _Enough(Exception):
    """Every worker's part is recorded."""


def record_side(
    side: str,
    script: Path,
    arguments: Sequence[str],
    folder: Path,
    options: Options,
    shape: Shape,
    original: Recorded | None = None,
    *,
    replay: Path | None = None,
    to_the_end: bool = False,
    on_line: OnLine | None = None,
) -> Recorded:
    """Runs a script as a cluster and records its first updates; asynchronous workers take their steps in turns.

    Args:
        side: 'legacy' or 'migrated'.
        script, arguments: as the user starts a task, without the flags of `shape.task_flags`.
        folder: where the recording goes.
        options: how; `layers`, `names`, `double` and `seed` do not apply.
        shape: of the cluster.
        original: the original's recording, which a migrated script is given: variables, batches, random numbers.
        replay: the same, but for the variables alone.
        to_the_end: let the script end by itself; else it is stopped when there is enough.
        on_line: called with a task's name and each line it writes.

    Raises:
        RunFailed: a task failed, or there were too few updates.
    """
    title = "the original" if side == "legacy" else "the migrated script"
    shutil.rmtree(folder, ignore_errors=True)
    raw = folder / "workers"
    raw.mkdir(parents=True)
    scratch = None if options.scratch is None else options.scratch / side
    environment = {**ENVIRONMENT, "PYTHONPATH": str(ROOT), _SERIAL: "1"}
    if scratch is not None:
        (scratch / "tmp").mkdir(parents=True, exist_ok=True)
        environment["TMPDIR"] = str(scratch / "tmp")
    settings: dict[str, object] = {
        "out": str(raw.resolve()),
        "steps": options.steps,
        "scratch": None if scratch is None else str(scratch),
    }
    if side == "legacy":
        settings["stand_ins"] = options.legacy_python is None
        environment |= (
            {} if options.legacy_python is None else {"TF2_BEHAVIOR": "0"}
        )  # a TensorFlow 2 leaves it at 1
    else:
        variables = replay if original is None else original.folder
        settings["replay"] = None if variables is None else str(variables.resolve())
        settings["inputs"] = None if original is None else str((original.folder / "workers").resolve())
        settings["lockstep"] = options.lockstep
        settings["tower_order"] = options.tower_order
        settings["on_runtime"] = _is_on_runtime(script)
    lines: list[str] = []
    recorded: set[str] = set()

    def look(task: str, line: str) -> None:
        lines.append(f"[{task}] {line}")
        del lines[:-200]
        if on_line is not None:
            on_line(task, line)
        if line.strip() in (RECORDED, RECORDED_ALL):
            recorded.add(task)
            everything = line.strip() == RECORDED_ALL or len(recorded) == shape.workers
            if everything and not to_the_end:
                raise _Enough

    began = time.monotonic()
    with _schedule(side, shape.workers) as turns:
        path = folder / "settings.json"
        path.write_text(json.dumps({**settings, **turns}), encoding="utf-8")
        try:
            run = run_cluster(
                _RECORDER if side == "legacy" else _MIGRATED,
                [str(path.resolve()), str(script.resolve()), *arguments],
                shape.ps,
                shape.workers,
                environment,
                (options.legacy_python if side == "legacy" else None) or sys.executable,
                timeout=options.timeout,
                on_line=look,
                cwd=options.cwd,
                task_flags=shape.task_flags,
            )
        except _Enough:
            pass
        else:
            if run.status:
                raise RunFailed(f"{title}, {script.name}, as a cluster: {_why(run, lines)}")
    facts, steps = _merge(f"{title}, {script.name},", side, folder, options.steps, shape)
    return Recorded(folder, facts, time.monotonic() - began, steps)


def _is_on_runtime(script: Path) -> bool:
    """Whether it, or a local module of it, is a program that `migrate` has written."""
    paths = [script]
    with contextlib.suppress(SourceError):
        paths += local_modules(Script.read(script))
    return any("tf2towers.runtime" in path.read_text(encoding="utf-8", errors="replace") for path in paths)


@contextlib.contextmanager
def _schedule(side: str, workers: int) -> Iterator[dict[str, str]]:
    """What lets the original's workers take their steps in turns; the migrated script has its own schedule."""
    turnstile = Turnstile(workers) if side == "legacy" else None
    try:
        yield {} if turnstile is None else {"turns": turnstile.address}
    finally:
        if turnstile is not None:
            turnstile.close()


def _why(run: ClusterRun, lines: Sequence[str]) -> str:
    return f"{run.reason}; it wrote last:\n" + last_lines(lines)


def _hint(side: str, folder: Path) -> str:
    settings = json.loads((folder / "settings.json").read_text(encoding="utf-8"))
    if side == "legacy" or settings["on_runtime"]:
        return ""
    return (
        ". Of such programs tf.functions that apply gradients are recorded, where every worker calls them "
        "(synchronous), or a ClusterCoordinator schedules them"
    )


def _merge(who: str, side: str, folder: Path, wanted: int, shape: Shape) -> tuple[Facts, int]:
    """Writes the first updates into `folder` as those of one run."""
    raw = folder / "workers"
    steps = min(wanted, count_updates(raw))
    if not steps:
        raise RunFailed(f"{who} ended without an update that could be recorded{_hint(side, folder)}")
    facts, writer = facts_of(raw), Writer(str(folder))
    try:
        for step in merged(raw, steps):
            if not writer.steps:
                facts.towers = max(1, len(step.losses))
                facts.trainable = [name.partition("//")[0] for name in step.gradients]
            writer.step(step.flat())
    except (ValueError, KeyError, IndexError) as problem:
        raise RunFailed(f"{who} cannot be put together: {problem}") from None
    facts.side = side
    facts.trainable = list(dict.fromkeys(facts.trainable))
    facts.notes.append(f"parameter servers: {shape.ps}, workers: {shape.workers}")
    writer.facts(dataclasses.asdict(facts))
    return facts, steps

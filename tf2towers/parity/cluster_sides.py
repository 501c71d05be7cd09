"""Both sides of a proof of a parameter-server script: the original's cluster recorded, then the migrated one's."""

from __future__ import annotations

import dataclasses
import shutil
import time
from collections.abc import Sequence
from pathlib import Path

from tf2towers.launch.cluster import TASK_FLAGS
from tf2towers.launch.local import ClusterRun, run_cluster
from tf2towers.parity import clusters
from tf2towers.parity.process import ENVIRONMENT, ROOT, RunFailed, last_lines
from tf2towers.parity.recording import Facts
from tf2towers.parity.sides import Options, Recorded
from tf2towers.parity.updates import load_workers, merge


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
) -> Recorded:
    """Runs a script as a cluster and records its first updates; asynchronous workers take their steps in turns.

    Args:
        side: 'legacy' or 'migrated'.
        script, arguments: as the user starts a task, without the flags of `shape.task_flags`.
        folder: where the recording goes.
        options: how; `legacy_python`, `layers`, `names` do not apply.
        shape: of the cluster.
        original: the original's recording, which a migrated script is given.

    Raises:
        RunFailed: a task failed, or there were too few updates.
    """
    title = "the original" if side == "legacy" else "the migrated script"
    shutil.rmtree(folder, ignore_errors=True)
    raw = folder / "workers"
    raw.mkdir(parents=True, exist_ok=True)
    environment = {
        **ENVIRONMENT,
        "PYTHONPATH": str(ROOT),
        clusters.SERIAL: "1",
        clusters.ENOUGH: str(options.steps),
    }
    environment[clusters.STAND_INS] = "1"
    environment[clusters.LOCKSTEP] = str(int(options.lockstep))
    if options.scratch is not None:
        environment[clusters.SCRATCH] = str(options.scratch / side)
        environment["TMPDIR"] = str(options.scratch / side / "tmp")
        (options.scratch / side / "tmp").mkdir(parents=True, exist_ok=True)
    if shape.workers > 2 or options.tower_order:
        environment[clusters.ORDER] = "tower_order"
    if original is not None:
        environment |= {
            clusters.REPLAY: str(original.folder),
            clusters.INPUTS: str(original.folder / "workers"),
        }
    lines: list[str] = []
    recorded: set[str] = set()

    def look(task: str, line: str) -> None:
        lines.append(f"[{task}] {line}")
        del lines[:-200]
        if line.strip() == clusters.RECORDED_ALL:
            raise _Enough
        if line.strip() == clusters.RECORDED:
            recorded.add(task)
            if len(recorded) == shape.workers:
                raise _Enough

    began = time.monotonic()
    with clusters.turns(side, shape.workers) as given:
        try:
            run = run_cluster(
                clusters.TASK,
                [side, str(raw), str(script.resolve()), *arguments],
                shape.ps,
                shape.workers,
                {**environment, **given},
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
    return _merged(title, script, side, folder, raw, options.steps, shape, time.monotonic() - began)


def _why(run: ClusterRun, lines: Sequence[str]) -> str:
    return f"{run.reason}; it wrote last:\n" + last_lines(lines)


def _merged(
    title: str, script: Path, side: str, folder: Path, raw: Path, steps: int, shape: Shape, seconds: float
) -> Recorded:
    workers = load_workers(raw)
    if not any(worker.updates for worker in workers):
        raise RunFailed(f"{title}, {script.name}, ended without an update that could be recorded")
    made = sum(len(worker.updates) for worker in workers)
    try:
        recording = merge(workers, min(steps, made))
    except (ValueError, KeyError) as problem:
        raise RunFailed(f"{title}, {script.name}: {problem}") from None
    trainable = list(recording.steps[0].gradients)
    import platform
    from importlib.metadata import version

    recording.facts = Facts(
        side=side,
        tensorflow=version("tensorflow"),
        python=platform.python_version(),
        towers=len(recording.steps[0].losses) if len(recording.steps[0].losses) > 1 else 1,
        trainable=trainable,
        notes=[f"{shape.ps} parameter servers and {shape.workers} workers"],
    )
    recording.save(folder)
    return Recorded(folder, recording.facts, seconds, len(recording.steps))

"""A script run as a cluster on this machine, each task under a recorder, until all that is wanted is recorded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from tf2towers.launch.cluster import Shape
from tf2towers.launch.job import run_cluster
from tf2towers.launch.plan import Plan
from tf2towers.parity.process import ENVIRONMENT, ROOT, RunFailed, last_lines
from tf2towers.parity.sides import Options, temporary
from tf2towers.recorder.running import RECORDED, RECORDED_ALL

_SERIAL = "TF2TOWERS_SERIAL_SCHEDULE"  # the runtime's own: one worker's step at a time

OnLine = Callable[[str, str], object]


class _Enough(Exception):
    """Every worker's part is recorded."""


def run_recorded(
    title: str,
    python: str,
    recorder: Path,
    command: Sequence[str],
    folder: Path,
    options: Options,
    *,
    to_the_end: bool = False,
    on_line: OnLine | None = None,
) -> list[str]:
    """Runs it; the last lines of all tasks.

    Args:
        recorder: what each task runs.
        command: its settings, the script and the arguments, without the flags of the cluster.
        to_the_end: let the script end by itself; else it is stopped when there is enough.
        on_line: called with a task's name and each line it writes.

    Raises:
        RunFailed: a task failed.
    """
    shape = options.cluster or Shape()
    environment = {
        **ENVIRONMENT, **temporary(folder, options), "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "0", _SERIAL: "1",
    }  # fmt: skip
    if python == options.legacy_python:
        environment["TF2_BEHAVIOR"] = "0"  # a TensorFlow 2 leaves it at 1
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

    try:
        plan = Plan(
            script=recorder, args=command, ps=shape.ps, workers=shape.workers, env=environment, python=python,
            task_flags=shape.task_flags, timeout=options.timeout,
        )  # fmt: skip
        outcome, _ = run_cluster(plan, look)
    except _Enough:
        return lines
    finally:
        folder.with_suffix(".log").write_text("\n".join(lines), encoding="utf-8")
    if outcome.status:
        raise RunFailed(f"{title} as a cluster: {outcome.reason}; it wrote last:\n{last_lines(lines)}")
    return lines

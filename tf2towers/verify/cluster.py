"""A script run as a cluster on this machine, each task under a recorder, until all that is wanted is recorded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from tf2towers.launch.cluster import Shape
from tf2towers.launch.job import run_cluster
from tf2towers.launch.plan import Plan
from tf2towers.verify.process import RunFailed, last_lines
from tf2towers.verify.recorder.running import RECORDED


class _AllRecorded(Exception):
    """Every worker's part is recorded."""


def run_recorded(
    title: str,
    python: str,
    recorder: Path,
    command: Sequence[str],
    shape: Shape,
    environment: Mapping[str, str],
    timeout: float,
) -> list[str]:
    """Runs it; the last lines of all tasks.

    Args:
        recorder: what each task runs.
        command: its settings, the script and the arguments, without the flags of the cluster.

    Raises:
        RunFailed: a task failed.
    """
    lines: list[str] = []
    recorded: set[str] = set()

    def look(task: str, line: str) -> None:
        lines.append(f"[{task}] {line}")
        del lines[:-200]
        if line.strip() == RECORDED:
            recorded.add(task)
            if len(recorded) == shape.workers:
                raise _AllRecorded

    try:
        plan = Plan(
            script=recorder, args=command, ps=shape.ps, workers=shape.workers, env=dict(environment), python=python,
            program=Path(command[1]), task_flags=shape.task_flags, timeout=timeout,
        )  # fmt: skip
        outcome, _ = run_cluster(plan, look)
    except _AllRecorded:
        return lines
    if outcome.status:
        raise RunFailed(f"{title} as a cluster: {outcome.reason}; it wrote last:\n{last_lines(lines)}")
    return lines

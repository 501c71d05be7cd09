"""Clusters: trained to the end, recorded or as they are."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from tf2towers.launch.cluster import Shape
from tf2towers.launch.job import run_cluster
from tf2towers.launch.member import Member
from tf2towers.launch.plan import Plan
from tf2towers.verify.cluster.sides import record_side
from tf2towers.verify.cluster.tasks import OnLine
from tf2towers.verify.process import ENVIRONMENT, ROOT, RunFailed
from tf2towers.verify.recording import Recording, read_facts
from tf2towers.verify.sides import Options, Recorded

_Result = TypeVar("_Result")
_TIMEOUT = 240.0


def run_tasks(
    script: Path, arguments: Sequence[str], workers: int = 2, on_line: OnLine | None = None
) -> list[Member]:
    """One parameter server and some workers, to their end, as `tf2towers launch` runs them.

    Raises:
        RunFailed: a task ended with an error; the message has the end of what it printed.
    """
    variables = {**ENVIRONMENT, "PYTHONPATH": str(ROOT)}
    plan = Plan(script=script, args=arguments, workers=workers, env=variables, timeout=_TIMEOUT)
    outcome, tasks = run_cluster(plan, on_line)
    if outcome.status:
        tails = (
            f"--- {member.task.name}: {member.status}\n" + "\n".join([*member.lines][-25:])
            for member in tasks
        )
        raise RunFailed(f"{script}: {outcome.reason}\n" + "\n".join(tails))
    return tasks


def record_cluster(
    side: str,
    script: Path,
    arguments: Sequence[str],
    steps: int,
    workers: int = 2,
    replay: Path | None = None,
    tower_order: bool = True,
    on_line: OnLine | None = None,
    to_the_end: bool = True,
    keep: Path | None = None,
    original: Path | None = None,
) -> Recording:
    """The first `steps` updates of a cluster of one parameter server; its workers take their steps in turns.

    Args:
        side: 'legacy' or 'migrated'.
        script: the trainer.
        arguments: its flags, without the cluster's.
        steps: how many updates are kept; the trainer must make as many, and a worker may make one more.
        workers: how many.
        replay: a recording whose variables each step of a migrated trainer is made on.
        tower_order: the migrated trainer adds synchronous workers' gradients in their order, as the original does,
            whose workers hand them in in turns; else as its all-reduce does.
        on_line: called with a task's name and each line it writes.
        to_the_end: it ends by itself; else it is stopped when there is enough.
        keep: a folder for the recording with what each worker has recorded.
        original: such a folder, of the run whose variables, batches and random numbers each step is given.

    Raises:
        RunFailed: a task ended with an error, or there were fewer updates.
    """
    options = Options(steps=steps, timeout=_TIMEOUT, tower_order=tower_order, cluster=Shape(workers=workers))
    given = None if original is None else Recorded(original, read_facts(original), 0.0, steps)
    with tempfile.TemporaryDirectory() as folder:
        made = record_side(
            side, script, arguments, keep or Path(folder) / "recording", options, given,
            replay=replay, to_the_end=to_the_end, on_line=on_line,
        )  # fmt: skip
        if made.steps < steps:
            raise RunFailed(f"{script}: {made.steps} updates, not {steps}")
        return Recording.load(made.folder)


def at_once(*calls: Callable[[], _Result]) -> list[_Result]:
    """The results of calls, of which three run at a time: a cluster leaves a core idle for most of its end.

    Raises:
        Exception: what the first of them raised, when all have ended.
    """
    with ThreadPoolExecutor(3) as pool:
        return [future.result() for future in [pool.submit(call) for call in calls]]

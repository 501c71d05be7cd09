"""A parameter-server trainer, the original or the migrated one, run as a whole cluster and recorded."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from tf2towers.launch.local import ClusterRun, run_cluster
from tf2towers.parity.process import ENVIRONMENT, RunFailed
from tf2towers.parity.recording import Recording
from tf2towers.parity.turns import VARIABLE, Turnstile
from tf2towers.parity.updates import load_workers, merge

# what a task is told by its environment
REPLAY = "TF2TOWERS_REPLAY"  # a recording: each step is made on the variables that its step had
LOCKSTEP = "TF2TOWERS_LOCKSTEP"  # '0': so the first step only
INPUTS = "TF2TOWERS_INPUTS"  # the original's folder: each worker's steps are given what its steps had
ORDER = "TF2TOWERS_AVERAGING"  # 'tower_order': gradients are added in the order of the workers
SERIAL = "TF2TOWERS_SERIAL_SCHEDULE"  # the runtime's own: one worker's step at a time
ENOUGH = "TF2TOWERS_ENOUGH"  # steps after which a worker's recording is written and a line says so
STAND_INS = "TF2TOWERS_STAND_INS"  # the original is run through `tf2towers.stand_ins`
SCRATCH = "TF2TOWERS_SCRATCH_FOLDER"  # where all goes that the script writes
RECORDED, RECORDED_ALL = "tf2towers: recorded", "tf2towers: recorded, all workers"
TASK = Path(__file__).with_name("record_task.py")
_ROOT = Path(__file__).resolve().parents[2]

OnLine = Callable[[str, str], object]
_Result = TypeVar("_Result")


def run_tasks(
    script: Path,
    arguments: Sequence[str],
    workers: int = 2,
    timeout: float = 240,
    on_line: OnLine | None = None,
    environment: Mapping[str, str] | None = None,
) -> ClusterRun:
    """One parameter server and some workers, to their end, as `tf2towers launch` runs them.

    Raises:
        RunFailed: a task ended with an error; the message has the end of what it printed.
    """
    variables = {**ENVIRONMENT, "PYTHONPATH": str(_ROOT), **(environment or {})}
    run = run_cluster(script, arguments, 1, workers, variables, timeout=timeout, on_line=on_line)
    if run.status:
        tails = (f"--- {task.name}: {task.status}\n" + "\n".join(task.lines[-25:]) for task in run.tasks)
        raise RunFailed(f"{script}: {run.reason}\n" + "\n".join(tails))
    return run


def record_cluster(
    side: str,
    script: Path,
    arguments: Sequence[str],
    steps: int,
    workers: int = 2,
    replay: Path | None = None,
    tower_order: bool = True,
    on_line: OnLine | None = None,
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

    Raises:
        RunFailed: a task ended with an error.
        ValueError: there were fewer updates.
    """
    environment = {SERIAL: "1"}
    if tower_order:
        environment[ORDER] = "tower_order"
    if replay is not None:
        environment[REPLAY] = str(replay)
    with tempfile.TemporaryDirectory() as folder, turns(side, workers) as given:
        task = [side, folder, str(script), *arguments]
        run_tasks(TASK, task, workers, on_line=on_line, environment={**environment, **given})
        return merge(load_workers(Path(folder)), steps)


@contextlib.contextmanager
def turns(side: str, workers: int) -> Iterator[dict[str, str]]:
    """The environment that lets the original's workers take their steps in turns; the migrated has its own schedule."""
    turnstile = Turnstile(workers) if side == "legacy" else None
    try:
        yield {} if turnstile is None else {VARIABLE: turnstile.address}
    finally:
        if turnstile is not None:
            turnstile.close()


def at_once(*calls: Callable[[], _Result]) -> list[_Result]:
    """The results of calls, of which two run at a time: a cluster leaves a core idle for most of its start.

    Raises:
        Exception: what the first of them raised, when all have ended.
    """
    with ThreadPoolExecutor(2) as pool:
        return [future.result() for future in [pool.submit(call) for call in calls]]

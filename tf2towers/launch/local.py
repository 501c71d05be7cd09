"""A whole local cluster in one call."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tf2towers.launch.cluster import TASK_FLAGS
from tf2towers.launch.job import Job
from tf2towers.launch.plan import GRACE, Plan
from tf2towers.launch.signals import noted
from tf2towers.launch.watcher import LineWatcher, Watcher


@dataclass(frozen=True)
class TaskRun:
    """One task that has run.

    Attributes:
        name: such as 'worker 0'.
        status: its exit status, 128 + n for signal n; None when the launcher stopped it, as it does a server.
        lines: all it wrote, standard output and error in order, of all its restarts.
    """

    name: str
    status: int | None
    lines: list[str]


@dataclass(frozen=True)
class ClusterRun:
    """A cluster that has run.

    Attributes:
        status: 0, or the status of the task that failed (128 + n for signal n), or 124 for the timeout.
        tasks: every task, parameter servers first.
        reason: why the status is not 0, such as 'worker 1 ended with status 3'.
    """

    status: int
    tasks: list[TaskRun]
    reason: str = ""

    def task(self, name: str) -> TaskRun:
        """The task of this name, such as 'worker 0'.

        Raises:
            KeyError: there is none.
        """
        for one in self.tasks:
            if one.name == name:
                return one
        raise KeyError(name)


def run_cluster(
    script: str | os.PathLike[str],
    args: Sequence[str] = (),
    ps: int = 1,
    workers: int = 2,
    env: Mapping[str, str] | None = None,
    python: str | os.PathLike[str] | None = None,
    timeout: float | None = None,
    on_line: Callable[[str, str], object] | None = None,
    cwd: str | os.PathLike[str] | None = None,
    *,
    task_flags: str = TASK_FLAGS,
    restarts: int = 0,
    grace: float = GRACE,
    log_dir: str | os.PathLike[str] | None = None,
) -> ClusterRun:
    """Runs a parameter-server script as a cluster on this machine, and returns when all of it has ended.

    Args:
        script: a Python file, seen from `cwd`.
        args: its arguments, the same for every task.
        ps: the number of parameter servers, from 0; they are stopped when all workers have ended.
        workers: the number of workers, from 1.
        env: variables added to those of this process.
        python: the interpreter; None: this one.
        timeout: seconds after which everything is stopped; None: never.
        on_line: called with a task's name and each line it writes; what it raises ends the cluster, and is raised.
        cwd: the directory of every task; None: this process's.
        task_flags: the template of the flags that tell a task which it is; see `Cluster.flags`.
        restarts: how often each worker but the first is started again when it has failed.
        grace: seconds between SIGTERM and SIGKILL.
        log_dir: a directory that each task's output is also written to.

    Raises:
        LaunchError: an argument is wrong, or the cluster cannot be started.
        KeyboardInterrupt: on Ctrl-C, when everything has ended. (So for SIGTERM: its handler is called then.)
    """
    plan = Plan(
        script=script,
        args=args,
        ps=ps,
        workers=workers,
        env=env or {},
        python=python,
        task_flags=task_flags,
        restarts=restarts,
        timeout=timeout,
        grace=grace,
        cwd=cwd,
        log_dir=log_dir,
    )
    with noted() as signals:
        job = Job(plan, LineWatcher(on_line) if on_line is not None else Watcher(), signals)
        outcome = job.run()
    if signals:
        signal.raise_signal(signals[0])
    tasks = [TaskRun(member.task.name, member.status, list(member.lines)) for member in job.members]
    return ClusterRun(outcome.status, tasks, outcome.reason)

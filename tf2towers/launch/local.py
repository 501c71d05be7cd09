"""A whole local cluster in one call."""

from __future__ import annotations

import signal
from collections.abc import Callable

from tf2towers.launch.job import Job, Outcome
from tf2towers.launch.member import Member
from tf2towers.launch.plan import Plan
from tf2towers.launch.signals import noted
from tf2towers.launch.watcher import LineWatcher, Watcher


def run_cluster(
    plan: Plan, on_line: Callable[[str, str], object] | None = None
) -> tuple[Outcome, list[Member]]:
    """Runs a parameter-server script as a cluster on this machine, and returns when all of it has ended.

    Args:
        on_line: called with a task's name and each line it writes; what it raises ends the cluster, and is raised.

    Returns:
        How it ended, and every task, parameter servers first.

    Raises:
        LaunchError: the cluster cannot be started.
        KeyboardInterrupt: on Ctrl-C, when everything has ended. (So for SIGTERM: its handler is called then.)
    """
    with noted() as signals:
        job = Job(plan, LineWatcher(on_line) if on_line is not None else Watcher(), signals)
        outcome = job.run()
    if signals:
        signal.raise_signal(signals[0])
    return outcome, job.members

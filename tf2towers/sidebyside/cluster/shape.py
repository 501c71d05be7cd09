"""Whether the two are clusters, and of how many tasks."""

from __future__ import annotations

import sys
from pathlib import Path

from tf2towers.launch.cluster import Shape, tasks_of, words
from tf2towers.launch.errors import LaunchError
from tf2towers.sidebyside.dialect import has_cluster, is_of_cluster
from tf2towers.sidebyside.errors import CompareError


def shape_of(
    legacy: Path,
    modern: Path,
    ps: int | None = None,
    workers: int | None = None,
    task_flags: str | None = None,
) -> Shape | None:
    """The cluster to run each side as; None where both are of one process.

    Args:
        ps, workers, task_flags: as the user says; one that says nothing has 1 and 2 where a script starts servers.

    Raises:
        CompareError: one is a task of a cluster, and the other is not; or these numbers are no cluster.
    """
    if ps is None and workers is None and not is_of_cluster(legacy) and not is_of_cluster(modern):
        return None
    for mine, its in ((legacy, modern), (modern, legacy)):
        if has_cluster(mine) and not has_cluster(its):
            raise CompareError(
                f"{mine} is a task of a cluster, and {its} is a program of one process: it has no tf.train.Server and "
                "no strategy of several workers. Only two clusters or two programs of one process can be compared"
            )
    if not sys.platform.startswith("linux"):
        raise CompareError("clusters are compared on Linux only, where all processes of one can be found")
    shape = Shape.asked(ps, workers, task_flags)
    try:
        tasks_of(shape.ps, shape.workers)
        words(shape.task_flags)
    except LaunchError as problem:
        raise CompareError(str(problem)) from None
    return shape


def described(shape: Shape) -> str:
    """Such as '1 parameter server and 2 workers'."""
    servers = f"{shape.ps} parameter server{'s' * (shape.ps != 1)}"
    return f"{servers} and {shape.workers} worker{'s' * (shape.workers != 1)}"

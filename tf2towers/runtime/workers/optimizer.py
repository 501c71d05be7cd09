"""`tf.train.SyncReplicasOptimizer` where MultiWorkerMirroredStrategy does its work."""

from __future__ import annotations

from typing import Any

from tf2towers.runtime.workers.task import current_task


def synchronous_replicas(
    opt: Any, replicas_to_aggregate: int | None = None, total_num_replicas: int | None = None
) -> Any:
    """The optimizer itself: `minimize` and `average_gradients` take the mean over the workers.

    Args:
        opt: a `tf.compat.v1.train.Optimizer`.
        replicas_to_aggregate: gradients that made an update; the number of workers.
        total_num_replicas: the number of workers.

    Raises:
        ValueError: replicas_to_aggregate is another number: backup workers, or several batches a worker in an update,
            have no counterpart.
    """
    task = current_task()
    workers = len(task.workers) if task is not None else 1
    for name, value in (("replicas_to_aggregate", replicas_to_aggregate), ("total_num_replicas", total_num_replicas)):
        if value is not None and int(value) != workers:
            raise ValueError(
                f"{name} is {value} and there are {workers} workers: every update is the mean over all workers "
                "(MultiWorkerMirroredStrategy has no backup workers, and one batch a worker)"
            )
    return opt

"""`tf.train.SyncReplicasOptimizer`, whose work MultiWorkerMirroredStrategy does."""

from __future__ import annotations

from typing import Any

import tensorflow as tf


def synchronous_replicas(
    opt: Any, replicas_to_aggregate: int | None = None, total_num_replicas: int | None = None, **_options: Any
) -> Any:
    """`opt`, whose gradients `averaging.minimize` averages over the workers: `tf.train.SyncReplicasOptimizer`.

    Args:
        opt: a `tf.compat.v1.train.Optimizer`.
        replicas_to_aggregate: how many gradients make an update; here always one a worker.
        total_num_replicas: the number of workers; by default that of the strategy in force.

    Raises:
        ValueError: `replicas_to_aggregate` is not the number of workers.
    """
    workers = tf.distribute.get_strategy().num_replicas_in_sync
    if workers == 1 and total_num_replicas:
        workers = int(total_num_replicas)
    for name, value in (
        ("replicas_to_aggregate", replicas_to_aggregate),
        ("total_num_replicas", total_num_replicas),
    ):
        if value is None or int(value) == workers:
            continue
        raise ValueError(
            f"{name}={value} with {workers} worker{'s' * (workers > 1)}: every update takes one gradient of each "
            "worker. Backup workers (replicas_to_aggregate smaller than the number of workers) and several batches an "
            "update (larger) were SyncReplicasOptimizer's; MultiWorkerMirroredStrategy has neither."
        )
    return opt

"""The variables before a worker's first step: restored by the chief, and the same for every worker."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from tf2towers.runtime.workers.task import current_task
from tf2towers.runtime.saver import Saver
from tf2towers.runtime.variable_store import VariableStore


def restore_or_wait(variables: VariableStore, saver: Saver | None, folder: str | None, is_chief: bool) -> str | None:
    """The chief restores the latest checkpoint of `folder`, the other workers wait for it.

    Returns:
        The checkpoint that was restored; None where there is none, and for the other workers of asynchronous training.
    """
    task = current_task()
    latest = tf.train.latest_checkpoint(folder) if folder and saver is not None else None
    if task is not None and not task.synchronous and not is_chief:
        task.ready.wait()
        return None
    if latest is not None and saver is not None:
        saver.restore(latest)
    if task is not None:
        if task.synchronous and len(task.workers) > 1:
            _as_the_chief(variables)
        task.ready.set()
    return latest


def _as_the_chief(variables: VariableStore) -> None:
    """Every worker's copies take the chief's values: only its disk need have the checkpoint."""
    values: list[Any] = [variables[name] for name in variables.names()]
    values = [value for value in values if value.dtype.is_floating or value.dtype.is_integer]
    if not values:
        return

    @tf.function(autograph=False)
    def share() -> None:
        def one() -> None:
            context = tf.distribute.get_replica_context()
            assert context is not None
            first = context.replica_id_in_sync_group == 0
            for value in values:
                own = value.read_value()
                kept = tf.where(first, own, tf.zeros_like(own))
                value.assign(context.all_reduce(tf.distribute.ReduceOp.SUM, kept))

        variables.strategy.run(one)

    share()


def step_of(variables: VariableStore, global_step: Any = None) -> int:
    """The global step's value; 0 before the variable is made."""
    if global_step is None:
        if "global_step" not in variables:
            return 0
        global_step = variables["global_step"]
    return int(global_step.numpy())

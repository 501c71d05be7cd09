"""Whose batch-norm statistics are kept: what fetching UPDATE_OPS decided in TF1.

Each tower updates its own copy of a moving mean while it runs. TF1 towers shared one variable, and the script chose
whose updates ran: `tf.get_collection(tf.GraphKeys.UPDATE_OPS, scope)` kept after the loop means the last tower's. So it
is with synchronous workers, whose variables were on the parameter servers: each updated them, once a step.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import tensorflow as tf

from tf2towers.runtime.tower_values import gather_towers, has_other_workers, meet
from tf2towers.runtime.variable_store import current_store

Keep = Literal["last", "first", "mean", "none"]


def keep_statistics(tower: Keep) -> None:
    """Sets every copy of the moving statistics to those of the last tower, of the first, to their mean, or back.

    Args:
        tower: 'last' and 'first' are what TF1 did with that tower's UPDATE_OPS alone. 'mean' stands for the updates of
            all towers, or workers, which TF1 ran on one variable in no fixed order. 'none' undoes this call's updates,
            where the TF1 script never fetched them.

    Call it in the replica function, after the model.
    """
    if tower == "none":
        current_store().restore_statistics()
        return
    variables = current_store().statistics()
    if not variables or tf.distribute.get_strategy().num_replicas_in_sync == 1:
        return

    if has_other_workers():
        for variable, values in zip(
            variables,
            zip(*gather_towers(tuple(one.read_value() for one in variables)), strict=True),
            strict=True,
        ):
            variable.assign(_chosen(tower, values))
        return

    def merge(strategy: Any, *per_replica: Any) -> None:
        for variable, value in zip(variables, per_replica, strict=True):
            chosen = _chosen(tower, strategy.experimental_local_results(value))
            for copy in strategy.experimental_local_results(variable):
                copy.assign(chosen)

    meet(merge, *[variable.read_value() for variable in variables])


def _chosen(tower: Keep, values: Sequence[Any]) -> Any:
    if tower == "mean":
        return tf.add_n(values) / tf.cast(len(values), values[0].dtype)
    return values[-1 if tower == "last" else 0]

"""Whose moving statistics are kept: what fetching UPDATE_OPS decided in TF1.

Each tower updates its own copy of a moving mean while it runs. TF1 towers shared one variable, and the script chose
whose updates ran: `tf.get_collection(tf.GraphKeys.UPDATE_OPS, scope)` kept after the loop means the last tower's.
"""

from __future__ import annotations

from typing import Any, Literal

import tensorflow as tf

from tf2towers.runtime.tower_values import meet
from tf2towers.runtime.variable_store import current_store

Keep = Literal["last", "none"]


def keep_statistics(tower: Keep) -> None:
    """Sets every copy of the moving statistics to those of the last tower, or back.

    Args:
        tower: 'last' is what TF1 did with the last tower's UPDATE_OPS alone. 'none' undoes this call's updates, where
            the TF1 script never fetched them.

    Call it in the replica function, after the model.
    """
    if tower == "none":
        current_store().restore_statistics()
        return
    variables = current_store().statistics()
    if not variables or tf.distribute.get_strategy().num_replicas_in_sync == 1:
        return

    def merge(strategy: Any, *per_replica: Any) -> None:
        for variable, value in zip(variables, per_replica, strict=True):
            last = strategy.experimental_local_results(value)[-1]
            for copy in strategy.experimental_local_results(variable):
                copy.assign(last)

    meet(merge, *[variable.read_value() for variable in variables])

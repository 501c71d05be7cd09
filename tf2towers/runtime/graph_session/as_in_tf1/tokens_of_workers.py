"""The queue that `SyncReplicasOptimizer`'s workers wait at, which a session's end left as it was in TF1."""

from __future__ import annotations

from functools import wraps
from typing import Any

import tensorflow as tf


def ends_leave_the_tokens() -> None:
    """Lets the chief's session end without closing the token queue on the parameter server.

    TensorFlow 1.15 gave the chief's queue runner a dummy queue to close. TF 2 gives it the token queue itself, which
    all workers' sessions and all later ones of the chief's share: a chief that began again (from its checkpoint, on
    the same servers) stopped with "sync_token_q is closed", and a worker's monitored session took the
    OutOfRangeError for the end of its data, and ended in silence.
    """
    optimizer = tf.compat.v1.train.SyncReplicasOptimizer
    apply = optimizer.apply_gradients
    if hasattr(apply, "__wrapped__"):
        return

    @wraps(apply)
    def apply_and_keep_open(self: Any, *args: Any, **kwargs: Any) -> Any:
        train_op = apply(self, *args, **kwargs)
        runner = self._chief_queue_runner
        runner._close_op = runner._cancel_op = tf.no_op(name="sync_token_q_stays_open")
        return train_op

    optimizer.apply_gradients = apply_and_keep_open

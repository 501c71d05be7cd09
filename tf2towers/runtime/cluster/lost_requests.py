"""A request to a worker that arrived damaged, taken for what it is: a lost connection."""

from __future__ import annotations

from typing import Any

import tensorflow as tf
from tensorflow.python.distribute.coordinator import cluster_coordinator

_DAMAGED = "Unable to parse request"
_is_worker_failure = cluster_coordinator._is_worker_failure


def is_worker_failure(error: Any) -> bool:
    """What the coordinator takes for a worker's failure, after which another worker makes the step again.

    TF 2.21's list (`cluster_coordinator._is_worker_failure`) has every error that a restarted peer was seen to cause
    but this one: once in some ten restarts of worker 0, gRPC hands a server a request it cannot read, and the training
    would end with an InternalError.
    """
    if isinstance(error, tf.errors.InternalError) and _DAMAGED in str(error) and "/job:worker" in str(error):
        return True
    return bool(_is_worker_failure(error))


def survive() -> None:
    """Lets the coordinators of this process use `is_worker_failure`."""
    cluster_coordinator._is_worker_failure = is_worker_failure

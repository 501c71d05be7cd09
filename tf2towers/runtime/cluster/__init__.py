"""What a migrated parameter-server script runs on: its task in the cluster, its steps, its session.

tf.train.Server                    ->  ClusterTask            (task)
sess.run(train_op, feed_dict)      ->  a @server.step         (steps, traces)
the worker processes' loops        ->  server.run_workers     (threads)
tf.train.Supervisor                ->  SupervisedTraining     (supervised)
tf.train.MonitoredTrainingSession  ->  MonitoredTraining      (monitored, hooks)
tf.train.SyncReplicasOptimizer     ->  synchronous_replicas   (synchronous)

Names are loaded on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOMES = {
    "CheckpointSaverHook": "hooks",
    "ClusterError": "addresses",
    "ClusterTask": "task",
    "Hook": "hooks",
    "MonitoredTraining": "monitored",
    "StepCounterHook": "hooks",
    "StopAtStepHook": "hooks",
    "SummarySaverHook": "hooks",
    "SupervisedTraining": "supervised",
    "WorkerStopped": "threads",
    "add_extra": "extras",
    "listen": "extras",
    "step": "steps",
    "synchronous_replicas": "synchronous",
    "worker_index": "threads",
}

__all__ = [*_HOMES]  # noqa: PLE0604 - the keys are strings


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)

"""Optimizers, savers, hooks, and the sessions of managers."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import tensorflow as tf
import tensorflow.compat.v1 as _v1  # before this import, `tf.compat.v1` is another object

from tf2towers.runtime.graph_session import own_resources
from tf2towers.runtime.patches.patch import Patch, patch

_LOOK_SECS = 0.2  # between two looks for other workers


@patch(
    "an optimizer under reuse_variables, as in TensorFlow 0.12",
    source="TensorFlow 0.12: training/slot_creator.py, _create_slot_var",
    test="tests/runtime/patches/test_training_patches.py",
)
def slots_under_reuse(changes: Patch) -> None:
    """Lets optimizers and averages make variables after a loop of towers that reuses them.

    `tf.get_variable_scope().reuse_variables()` in the towers, without a scope around them, stays in
    force after them. Until TensorFlow 0.12, `opt.apply_gradients` and
    `ExponentialMovingAverage.apply` made their variables even so (`slot_creator._create_slot_var`
    called `tf.Variable`). From 1.0 on they raise an error ("does not exist, or was not created with
    tf.get_variable()").
    """

    @changes.around(changes.private("training.slot_creator"), "_create_slot_var")
    def create_or_take(create: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return create(*args, **kwargs)
        except ValueError as error:
            scope = _v1.get_variable_scope()
            if scope.reuse is not True or "does not exist" not in str(error):
                raise
            scope._reuse = False  # in this slot's own scope
            return create(*args, **kwargs)


@patch(
    "an optimizer of the script's own",
    source="training/optimizer.py, _RefVariableProcessor.update_op",
    test="tests/soundness/scripts/towers/optimizers_with_updates_of_their_own.py",
)
def updates_by_tf1s_methods(changes: Patch) -> None:
    """Updates variables by the optimizer's method that TF1 called: a script may override it.

    An optimizer has two methods for the same update: `_apply_dense` for TF1's variables, and
    `_resource_apply_dense` for resource variables. TF1 called the first; here, variables are
    resources. So if a script's class defines the first method, the second calls it. TensorFlow's
    own first methods, which a script calls through `super()`, call the second. This holds for all
    optimizer classes, also for those defined later.
    """
    base = _v1.train.Optimizer
    changes.set(base, "_resource_apply_dense", _dense_by(lambda optimizer: optimizer._apply_dense))
    changes.set(base, "_resource_apply_sparse", _sparse_by(lambda optimizer: optimizer._apply_sparse))
    waiting = base.__subclasses__()
    while waiting:
        optimizer_class = waiting.pop()
        waiting += optimizer_class.__subclasses__()
        _connect_updates(optimizer_class, changes.set)
    connect_subclass = classmethod(lambda made, **options: _connect_updates(made, setattr))
    changes.set(base, "__init_subclass__", connect_subclass)


def _connect_updates(made: Any, put: Callable[[Any, str, Any], None]) -> None:
    """Makes one of the two update methods of an optimizer class call the other one."""
    for tf1s, resources, by_tf1s, by_resources in (
        ("_apply_dense", "_resource_apply_dense", _dense_by, _dense_by),
        ("_apply_sparse", "_resource_apply_sparse", _sparse_by, _slices_by),
        (
            "_apply_sparse_duplicate_indices", "_resource_apply_sparse_duplicate_indices", _sparse_by, _slices_by,
        ),
    ):  # fmt: skip
        if _root(made) == "tensorflow":
            if tf1s in vars(made) and resources in vars(made):
                put(made, tf1s, by_resources(vars(made)[resources].__get__))
            continue
        owner = next((parent for parent in made.__mro__ if tf1s in vars(parent)), _v1.train.Optimizer)
        if _root(owner) not in ("tensorflow", "tf2towers") and not own_resources.switched_on:
            put(made, resources, by_tf1s(vars(owner)[tf1s].__get__))


def _root(made: Any) -> str:
    return str(made.__module__).partition(".")[0]


def _dense_by(method: Callable[[Any], Any]) -> Callable[[Any, Any, Any], Any]:
    return lambda optimizer, grad, variable: method(optimizer)(grad, variable)


def _sparse_by(method: Callable[[Any], Any]) -> Callable[[Any, Any, Any, Any], Any]:
    def update(optimizer: Any, grad: Any, variable: Any, indices: Any) -> Any:
        return method(optimizer)(tf.IndexedSlices(grad, indices, tf.shape(variable)), variable)

    return update


def _slices_by(method: Callable[[Any], Any]) -> Callable[[Any, Any, Any], Any]:
    return lambda optimizer, grad, variable: method(optimizer)(grad.values, variable, grad.indices)


@patch(
    "SyncReplicasOptimizer",
    source="training/sync_replicas_optimizer.py, SyncReplicasOptimizer.apply_gradients",
    test="tests/runtime/patches/test_training_patches.py",
)
def ends_leave_the_tokens(changes: Patch) -> None:
    """Lets the chief's session end without closing the token queue on the parameter server.

    TensorFlow 1.15 passed a dummy queue to the chief's queue runner, to close. TF 2 passes the
    token queue itself, which the sessions of all workers and all later sessions of the chief share.
    A chief that restarted from its checkpoint, on the same servers, stopped with "sync_token_q is
    closed". A worker's monitored session took the OutOfRangeError for the end of its data, and
    ended without a message. The chief's end cancels the queue runner's run: that ends its thread
    without a traceback, as in TensorFlow 1.15.

    At the end, the runner's thread waits for gradients, and `Coordinator.join` gives it two
    minutes. Without another worker no gradients come, so its run is cancelled as soon as the last
    one has ended.
    """

    @changes.around(_v1.train.SyncReplicasOptimizer, "apply_gradients")
    def apply_and_keep_open(apply: Any, self: Any, *args: Any, **kwargs: Any) -> Any:
        train_op = apply(self, *args, **kwargs)
        runner = self._chief_queue_runner
        runner._close_op = runner._cancel_op = tf.no_op(name="sync_token_q_stays_open")
        runner._queue_closed_exception_types += (tf.errors.CancelledError,)
        _end_with_the_other_workers(runner)
        return train_op


def _end_with_the_other_workers(runner: Any) -> None:
    """Makes a queue runner's thread end when its coordinator has stopped and no worker runs."""
    run, waiting = runner._run, []

    def run_here(*args: Any) -> None:
        waiting.append(threading.get_ident())
        try:
            run(*args)
        finally:
            waiting.clear()

    def cancel_when_last(session: Any, _: Any, coordinator: Any) -> None:
        coordinator.wait_for_stop()
        while waiting:
            if session.is_last():
                for thread in list(waiting):
                    session.cancel_run_in(thread)
            time.sleep(_LOOK_SECS)

    runner._run, runner._close_on_stop = run_here, cancel_when_last


@patch(
    "CheckpointSaverHook",
    source="training/basic_session_run_hooks.py, CheckpointSaverHook",
    test="tests/runtime/patches/test_training_patches.py",
)
def hooks_save_at_tf1s_steps(changes: Patch) -> None:
    """Makes a `CheckpointSaverHook` that counts steps read the step only when a save is due.

    TensorFlow 1.15 assumed one step for each run: it read the global step again only if the step
    before the run, plus one, was due. TF 2 reads it after every run. This changed the steps of
    checkpoints if a run counts twice (a GAN whose two optimizers both use the global step), or if
    other workers overtake. All other trainers had one more session call in each step.
    """

    @changes.around(_v1.train.CheckpointSaverHook, "__init__")
    def one_step_a_run(begin: Any, self: Any, *args: Any, **kwargs: Any) -> None:
        begin(self, *args, **kwargs)
        self._set_steps_per_run(1)


@patch(
    "tf.train.Saver",
    source="training/saving/saveable_object_util.py, ReferenceVariableSaveable",
    test="tests/runtime/patches/test_training_patches.py",
    serves=("train.Saver:sharded",),
)
def savers_have_a_shard_for_each_device(changes: Patch) -> None:
    """Makes `Saver(sharded=True)` group variables by their own devices, not by their reads'.

    The Saver writes one file for each device. TF1's Saver saved the variables themselves; here it
    saves their reads. `replica_device_setter(worker_device='/job:worker/task:0/cpu:0')` sets the
    worker's device on reads, but not on variables. So slots, slices and variables of one parameter
    server were spread over two or three files.
    """
    ResourceVariableSaveable = changes.private(
        "training.saving.saveable_object_util.ResourceVariableSaveable"
    )

    @changes.around(ResourceVariableSaveable, "__init__")
    def by_the_variable(make: Any, self: Any, *args: Any, **kwargs: Any) -> None:
        make(self, *args, **kwargs)
        for spec in self.specs:
            spec.device = self.handle_op.device


@patch(
    "tf.train.Supervisor and MonitoredSession",
    source="training/session_manager.py, SessionManager",
    test="tests/runtime/graph_session/test_managed.py",
    serves=(
        "train.Supervisor",
        "train.ChiefSessionCreator",
        "train.WorkerSessionCreator",
        "train.MonitoredTrainingSession",
    ),
)
def sessions_of_managers_are(changes: Patch, manager: type, session: type) -> None:
    """Makes all users of a SessionManager use these classes; only in a migrated program.

    TensorFlow's own Supervisor and session creators look up SessionManager in this module, and so
    do tf_slim's training and evaluation loops, which are built on them.
    """
    session_manager = changes.private("training.session_manager")
    changes.replace(session_manager, "SessionManager", manager)
    changes.replace(session_manager, "session", SimpleNamespace(Session=session))

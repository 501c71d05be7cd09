"""Optimizers, savers and hooks under patches: they do what TensorFlow 1.15.5 did, and give its numbers."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

tf = pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow
v1 = tf.compat.v1


@pytest.fixture
def patched(request: pytest.FixtureRequest) -> Iterator[None]:
    """Applies one patch, twice, and undoes it after the test."""
    from tf2towers.runtime.patches import register as patches

    patch = getattr(patches, request.param)
    patch()
    patch()
    yield
    patch.undo()


def under(patch: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("patched", [patch], indirect=True)


# -- slots and averages after towers that leave the variables' scope reusing


def train(reusing: bool) -> list[tuple[str, list[float]]]:
    """Two steps with momentum and a moving average; the variables' names and values."""
    with tf.Graph().as_default(), v1.Session() as session:
        weights = v1.get_variable("tower/weights", initializer=[1.0, 2.0])
        if reusing:
            v1.get_variable_scope().reuse_variables()
        step = v1.train.MomentumOptimizer(0.1, 0.9).minimize(v1.reduce_sum(weights * weights))
        average = v1.train.ExponentialMovingAverage(0.5)
        with tf.control_dependencies([step]):
            train_op = average.apply([weights])
        session.run(v1.global_variables_initializer())
        for _ in range(2):
            session.run(train_op)
        return sorted(
            (variable.op.name, session.run(variable).tolist()) for variable in v1.global_variables()
        )


@under("slots_under_reuse")
def test_the_same_variables_as_without_reuse(patched: None) -> None:
    made, of = train(reusing=True), "tower/weights"
    assert [name for name, _ in made] == [of, f"{of}/ExponentialMovingAverage", f"{of}/Momentum"]
    assert made == train(reusing=False)


@under("slots_under_reuse")
def test_other_variables_that_are_not_there_still_stop(patched: None) -> None:
    scope = v1.variable_scope("tower", reuse=True)
    with tf.Graph().as_default(), scope, pytest.raises(ValueError, match="not exist"):
        v1.get_variable("weights", [2])


# -- the steps at which `CheckpointSaverHook` saves


class Own(v1.train.CheckpointSaverHook):
    """A script's own subclass."""


@under("hooks_save_at_tf1s_steps")
@pytest.mark.parametrize(
    ("kind", "counted", "save_steps", "runs", "expected"),
    [
        # a run that counts twice saves when one more step is due
        (v1.train.CheckpointSaverHook, 2, 4, 8, [0, 6, 12, 16]),
        (v1.train.CheckpointSaverHook, 1, 3, 7, [0, 3, 6, 7]),
        (Own, 2, 4, 8, [0, 6, 12, 16]),
    ],
)
def test_steps_of_checkpoints(
    patched: None, tmp_path: Path, kind: type, counted: int, save_steps: int, runs: int, expected: list[int]
) -> None:
    from tensorflow.python.training import training_util

    seen = []

    class Listener(v1.train.CheckpointSaverListener):
        def before_save(self, session: object, global_step_value: int) -> None:
            seen.append(int(global_step_value))

    with tf.Graph().as_default():
        step = v1.train.get_or_create_global_step()
        # the hook's read comes before the run counts: nothing else orders the two
        with tf.control_dependencies([training_util._get_or_create_global_step_read()]):
            count = v1.assign_add(step, counted)
        hook = kind(str(tmp_path), save_steps=save_steps, listeners=[Listener()])
        with v1.train.SingularMonitoredSession(hooks=[hook]) as session:
            for _ in range(runs):
                session.run(count)
    assert seen == expected


@under("hooks_save_at_tf1s_steps")
def test_steps_that_a_script_sets_itself_hold(patched: None) -> None:
    hook = v1.train.CheckpointSaverHook("none", save_steps=3)
    hook._set_steps_per_run(5)
    assert hook._steps_per_run == 5


# -- the devices that `Saver(sharded=True)` makes files for


@under("savers_have_a_shard_for_each_device")
@pytest.mark.parametrize(
    ("worker", "outside", "sharded", "files"),
    [
        # a server has a file, and its CPU has one where the script names it
        ("/job:worker/task:0/cpu:0", False, True, 3),
        ("/job:worker/task:0/device:GPU:0", False, True, 3),
        ("/cpu:0", False, True, 3),
        ("/job:worker/task:0", False, True, 3),
        ("/job:worker/task:0/cpu:0", True, True, 5),
        ("/job:worker/task:0/cpu:0", False, False, 1),
    ],
)
def test_files_of_savers(patched: None, worker: str, outside: bool, sharded: bool, files: int) -> None:
    """A Saver of a small trainer on two parameter servers makes a `SaveV2` for each file."""
    with tf.Graph().as_default() as graph, v1.variable_scope("", use_resource=True):
        with v1.device(v1.train.replica_device_setter(ps_tasks=2, worker_device=worker)):
            w = v1.get_variable("w", [3, 2])
            table = v1.get_variable("table", [4, 2], partitioner=v1.fixed_size_partitioner(2))
            loss = tf.reduce_sum(w) + tf.reduce_sum(tf.convert_to_tensor(table))
            step = v1.get_variable("global_step", [], tf.int64, trainable=False)
            with v1.device("/cpu:0"):
                v1.get_variable("on_cpu", [])
            v1.train.AdamOptimizer(0.1).minimize(loss, global_step=step)
        if outside:
            v1.get_variable("outside", [])
            with v1.device("/job:worker/task:0"):
                v1.get_variable("own", [])
        v1.train.Saver(sharded=sharded)
    assert sum(operation.type == "SaveV2" for operation in graph.get_operations()) == files


# -- what the end of a synchronous chief's session leaves to the other sessions of its parameter
# servers


@under("ends_leave_the_tokens")
def test_a_chief_ends_with_the_last_of_the_other_workers(
    patched: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its thread waits for gradients, without a traceback or two minutes of waiting; the token queue stays open."""
    from tf2towers.runtime.graph_session.session import Session

    looks = [False, False]
    monkeypatch.setattr(Session, "is_last", lambda session: looks.pop() if looks else True)
    runs_by_thread: Counter[int] = Counter()
    waits_for_gradients, run = threading.Event(), Session.run

    def counted_run(session: Session, *args: Any, **kwargs: Any) -> Any:
        own = threading.get_ident()
        runs_by_thread[own] += 1
        if own != threading.main_thread().ident and runs_by_thread[own] == 2:
            waits_for_gradients.set()
        return run(session, *args, **kwargs)

    monkeypatch.setattr(Session, "run", counted_run)
    with tf.Graph().as_default(), Session() as session:
        weight = v1.get_variable("weight", initializer=1.0, use_resource=True)
        step = v1.train.get_or_create_global_step()
        opt = v1.train.SyncReplicasOptimizer(v1.train.GradientDescentOptimizer(0.25), 1, total_num_replicas=1)
        train_op = opt.minimize(tf.square(weight), global_step=step)
        session.run(v1.global_variables_initializer())
        session.run(opt.chief_init_op)
        chief = v1.train.Coordinator()
        threads = opt.get_chief_queue_runner().create_threads(session, chief, daemon=True, start=True)
        # a session that ends cancels the run that waits for a place in the queue: no traceback
        assert tf.errors.CancelledError in opt.get_chief_queue_runner().queue_closed_exception_types
        session.run(train_op)
        assert session.run(weight) == 0.5
        closed = opt._sync_token_queue.is_closed()
        assert waits_for_gradients.wait(timeout=60)  # before it, the thread would end by itself
        chief.request_stop()
        chief.join(threads)  # raises an error if a thread still runs after its two minutes
        assert not any(thread.is_alive() for thread in threads)
        assert not looks
        assert not session.run(closed)
        assert session.run(weight) == 0.5

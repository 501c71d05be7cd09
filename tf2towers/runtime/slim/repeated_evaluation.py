# Copyright 2016 The TensorFlow Authors. All Rights Reserved.
#
# Licensed under the Apache License, Version 2.0 (the "License");
# you may not use this file except in compliance with the License.
# You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software
# distributed under the License is distributed on an "AS IS" BASIS,
# WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
# See the License for the specific language governing permissions and
# limitations under the License.
#
# From tensorflow/contrib/training/python/training/evaluation.py and tensorflow/python/training/evaluation.py of
# TensorFlow 1.15.
# Changed by tf2towers: public names of TF 2, our sessions, shorter docstrings, and no steps of a TPU.
"""Evaluation of checkpoints, once or as they appear."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import tensorflow as tf

from tf2towers.runtime.graph_session.private import get_variable

_v1 = tf.compat.v1
_logging = _v1.logging


def get_or_create_eval_step() -> Any:
    """The variable that counts evaluations, a local one of the graph."""
    steps = _v1.get_collection(_v1.GraphKeys.EVAL_STEP)
    if len(steps) > 1:
        raise ValueError("Multiple tensors added to tf.GraphKeys.EVAL_STEP")
    if steps:
        return steps[0]
    return get_variable(
        "eval_step",
        shape=[],
        dtype=tf.int64,
        initializer=_v1.zeros_initializer(),
        trainable=False,
        collections=[_v1.GraphKeys.LOCAL_VARIABLES, _v1.GraphKeys.EVAL_STEP],
    )


class StopAfterNEvalsHook(tf.compat.v1.train.SessionRunHook):
    """Ends an evaluation when its operations have run so often; None: at the end of the input."""

    def __init__(self, num_evals: int | None, log_progress: bool = True) -> None:
        self._num_evals = num_evals
        self._evals_completed: Any = None
        self._log_progress = log_progress
        self._log_frequency = 1 if num_evals is None or num_evals < 20 else math.floor(num_evals / 10.0)

    def _set_evals_completed_tensor(self, updated_eval_step: Any) -> None:
        self._evals_completed = updated_eval_step

    def before_run(self, run_context: Any) -> Any:
        """Asks how many there were."""
        return _v1.train.SessionRunArgs({"evals_completed": self._evals_completed})

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Looks whether there were enough."""
        completed = run_values.results["evals_completed"]
        if self._log_progress:
            if self._num_evals is None:
                _logging.info("Evaluation [%d]", completed)
            elif completed % self._log_frequency == 0 or self._num_evals == completed:
                _logging.info("Evaluation [%d/%d]", completed, self._num_evals)
        if self._num_evals is not None and completed >= self._num_evals:
            run_context.request_stop()


class SummaryAtEndHook(tf.compat.v1.train.SessionRunHook):
    """Writes the summaries at the end of an evaluation.

    Raises:
        ValueError: neither a folder nor a writer is given.
    """

    def __init__(
        self, log_dir: Any = None, summary_writer: Any = None, summary_op: Any = None, feed_dict: Any = None
    ) -> None:
        self._summary_op = summary_op
        self._replace_summary_op = summary_op is None
        self._feed_dict = feed_dict
        self._summary_writer = summary_writer
        self._log_dir = log_dir
        if self._log_dir is None and self._summary_writer is None:
            raise ValueError("One of log_dir or summary_writer should be used.")

    def begin(self) -> None:
        """Takes all summaries, if none is given."""
        if self._replace_summary_op:
            self._summary_op = _v1.summary.merge_all()
        self._global_step = _v1.train.get_or_create_global_step()

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Opens the writer."""
        if self._summary_writer is None and self._log_dir:
            self._summary_writer = _v1.summary.FileWriterCache.get(self._log_dir)

    def end(self, session: Any) -> None:
        """Writes."""
        if self._summary_op is not None:
            step = _v1.train.global_step(session, self._global_step)
            text = session.run(self._summary_op, self._feed_dict)
            if self._summary_writer:
                self._summary_writer.add_summary(text, step)
        if self._summary_writer:
            self._summary_writer.flush()


def evaluate_once(
    checkpoint_path: str,
    master: str = "",
    scaffold: Any = None,
    eval_ops: Any = None,
    feed_dict: Any = None,
    final_ops: Any = None,
    final_ops_feed_dict: Any = None,
    hooks: Sequence[Any] | None = None,
    config: Any = None,
    _sessions: Any = None,
) -> Any:
    """Runs `eval_ops` until a hook ends it, and gives the values of `final_ops`."""
    eval_step = get_or_create_eval_step()
    hooks = list(hooks or [])
    if eval_ops is not None:
        update = _v1.assign_add(eval_step, 1, use_locking=True)
        eval_ops = _with_update(eval_ops, update)
        with tf.control_dependencies(list(eval_ops.values()) if isinstance(eval_ops, dict) else eval_ops):
            completed = tf.identity(get_or_create_eval_step().read_value())
        _count_by(hooks, completed)
    _logging.info("Starting evaluation at " + time.strftime("%Y-%m-%dT%H:%M:%SZ", time.localtime()))
    final_ops_hook = _v1.train.FinalOpsHook(final_ops, final_ops_feed_dict)
    hooks.append(final_ops_hook)
    with _session(_sessions, scaffold, checkpoint_path, master, config, hooks) as session:
        if eval_ops is not None:
            while not session.should_stop():
                session.run(eval_ops, feed_dict)
    _logging.info("Finished evaluation at " + time.strftime("%Y-%m-%d-%H:%M:%S", time.localtime()))
    return final_ops_hook.final_ops_values


def evaluate_repeatedly(
    checkpoint_dir: str,
    master: str = "",
    scaffold: Any = None,
    eval_ops: Any = None,
    feed_dict: Any = None,
    final_ops: Any = None,
    final_ops_feed_dict: Any = None,
    eval_interval_secs: float = 60,
    hooks: list[Any] | None = None,
    config: Any = None,
    max_number_of_evaluations: int | None = None,
    timeout: float | None = None,
    timeout_fn: Callable[[], bool] | None = None,
    _sessions: Any = None,
) -> Any:
    """The same for each checkpoint as it appears; the values that the last `final_ops` had."""
    eval_step = get_or_create_eval_step()
    hooks = hooks or []
    if eval_ops is not None:
        update = _v1.assign_add(eval_step, 1)
        _count_by(hooks, update)
        eval_ops = _with_update(eval_ops, update)
    final_ops_hook = _v1.train.FinalOpsHook(final_ops, final_ops_feed_dict)
    hooks.append(final_ops_hook)
    paths = checkpoints_iterator(checkpoint_dir, eval_interval_secs, timeout, timeout_fn)
    for evaluations, path in enumerate(paths, start=1):
        with _session(_sessions, scaffold, path, master, config, hooks) as session:
            _logging.info("Starting evaluation at " + time.strftime("%Y-%m-%d-%H:%M:%S", time.gmtime()))
            if eval_ops is not None:
                while not session.should_stop():
                    session.run(eval_ops, feed_dict)
            _logging.info("Finished evaluation at " + time.strftime("%Y-%m-%d-%H:%M:%S", time.gmtime()))
        if max_number_of_evaluations is not None and evaluations >= max_number_of_evaluations:
            break
    return final_ops_hook.final_ops_values


def _with_update(eval_ops: Any, update: Any) -> Any:
    """The operations of an evaluation, and the one that counts it."""
    if isinstance(eval_ops, dict):
        eval_ops["update_eval_step"] = update
        return eval_ops
    return [*eval_ops, update] if isinstance(eval_ops, tuple | list) else [eval_ops, update]


def _count_by(hooks: Sequence[Any], completed: Any) -> None:
    for hook in hooks:
        if isinstance(hook, StopAfterNEvalsHook):
            hook._set_evals_completed_tensor(completed)


def _session(sessions: Any, scaffold: Any, path: str, master: str, config: Any, hooks: Sequence[Any]) -> Any:
    """A session, one of ours if no others are given, its variables from a checkpoint."""
    if sessions is None:
        # loaded here: graphs are built without sessions, too
        from tf2towers.runtime.graph_session import managed as sessions
    creator = sessions.ChiefSessionCreator(
        scaffold=scaffold, checkpoint_filename_with_path=path, master=master, config=config
    )
    return sessions.MonitoredSession(session_creator=creator, hooks=hooks)


def wait_for_new_checkpoint(
    checkpoint_dir: str,
    last_checkpoint: str | None = None,
    seconds_to_sleep: float = 1,
    timeout: float | None = None,
) -> str | None:
    """The path of a checkpoint that is not the last one; None after `timeout` seconds."""
    _logging.info("Waiting for new checkpoint at %s", checkpoint_dir)
    stop_time = time.time() + timeout if timeout is not None else None
    while True:
        path = tf.train.latest_checkpoint(checkpoint_dir)
        if path is not None and path != last_checkpoint:
            _logging.info("Found new checkpoint at %s", path)
            return str(path)
        if stop_time is not None and time.time() + seconds_to_sleep > stop_time:
            return None
        time.sleep(seconds_to_sleep)


def checkpoints_iterator(
    checkpoint_dir: str,
    min_interval_secs: float = 0,
    timeout: float | None = None,
    timeout_fn: Callable[[], bool] | None = None,
) -> Iterator[str]:
    """The paths of new checkpoints, until `timeout` seconds bring none (and `timeout_fn`, if given, agrees)."""
    path: str | None = None
    while True:
        new_path = wait_for_new_checkpoint(checkpoint_dir, path, timeout=timeout)
        if new_path is None:
            if not timeout_fn:
                _logging.info("Timed-out waiting for a checkpoint.")
                return
            if timeout_fn():
                return
            continue
        start = time.time()
        path = new_path
        yield path
        left = start + min_interval_secs - time.time()
        if left > 0:
            time.sleep(left)

"""`tf.contrib.slim.evaluation` of TensorFlow 1.15: `tf.contrib.training`'s evaluations, with slim's arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

from tf2towers.runtime.slim import repeated_evaluation as evaluation
from tf2towers.runtime.slim.repeated_evaluation import checkpoints_iterator, wait_for_new_checkpoint

__all__ = ["checkpoints_iterator", "evaluate_once", "evaluation_loop", "wait_for_new_checkpoint"]

_v1 = tf.compat.v1
_USE_DEFAULT = 0


def evaluate_once(
    master: str,
    checkpoint_path: str,
    logdir: str,
    num_evals: int = 1,
    initial_op: Any = None,
    initial_op_feed_dict: Any = None,
    eval_op: Any = None,
    eval_op_feed_dict: Any = None,
    final_op: Any = None,
    final_op_feed_dict: Any = None,
    summary_op: Any = _USE_DEFAULT,
    summary_op_feed_dict: Any = None,
    variables_to_restore: Any = None,
    session_config: Any = None,
    hooks: Sequence[Any] | None = None,
    _sessions: Any = None,
) -> Any:
    """Evaluates a checkpoint: the value of `final_op` after `num_evals` runs of `eval_op`."""
    return evaluation.evaluate_once(
        checkpoint_path,
        master=master,
        hooks=_hooks(num_evals, logdir, summary_op, summary_op_feed_dict, hooks),
        scaffold=_v1.train.Scaffold(
            init_op=initial_op, init_feed_dict=initial_op_feed_dict, saver=_saver(variables_to_restore)
        ),
        eval_ops=eval_op,
        feed_dict=eval_op_feed_dict,
        final_ops=final_op,
        final_ops_feed_dict=final_op_feed_dict,
        config=session_config,
        _sessions=_sessions,
    )


def evaluation_loop(
    master: str,
    checkpoint_dir: str,
    logdir: str,
    num_evals: int = 1,
    initial_op: Any = None,
    initial_op_feed_dict: Any = None,
    init_fn: Any = None,
    eval_op: Any = None,
    eval_op_feed_dict: Any = None,
    final_op: Any = None,
    final_op_feed_dict: Any = None,
    summary_op: Any = _USE_DEFAULT,
    summary_op_feed_dict: Any = None,
    variables_to_restore: Any = None,
    eval_interval_secs: float = 60,
    max_number_of_evaluations: int | None = None,
    session_config: Any = None,
    timeout: float | None = None,
    timeout_fn: Callable[[], bool] | None = None,
    hooks: Sequence[Any] | None = None,
    _sessions: Any = None,
) -> Any:
    """Evaluates each checkpoint as it appears."""
    return evaluation.evaluate_repeatedly(
        checkpoint_dir,
        master=master,
        hooks=_hooks(num_evals, logdir, summary_op, summary_op_feed_dict, hooks),
        scaffold=_v1.train.Scaffold(
            init_op=initial_op,
            init_feed_dict=initial_op_feed_dict,
            init_fn=init_fn,
            saver=_saver(variables_to_restore),
        ),
        eval_ops=eval_op,
        feed_dict=eval_op_feed_dict,
        final_ops=final_op,
        final_ops_feed_dict=final_op_feed_dict,
        eval_interval_secs=eval_interval_secs,
        config=session_config,
        max_number_of_evaluations=max_number_of_evaluations,
        timeout=timeout,
        timeout_fn=timeout_fn,
        _sessions=_sessions,
    )


def _hooks(
    num_evals: int, logdir: str, summary_op: Any, feed_dict: Any, hooks: Sequence[Any] | None
) -> list[Any]:
    if isinstance(summary_op, int) and summary_op == _USE_DEFAULT:
        summary_op = _v1.summary.merge_all()
    made: list[Any] = [evaluation.StopAfterNEvalsHook(num_evals)]
    if summary_op is not None:
        made.append(evaluation.SummaryAtEndHook(log_dir=logdir, summary_op=summary_op, feed_dict=feed_dict))
    return [*made, *(hooks or [])]


def _saver(variables_to_restore: Any) -> Any:
    return _v1.train.Saver(variables_to_restore) if variables_to_restore is not None else None

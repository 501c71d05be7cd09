"""The training loop of `tf.contrib.slim.learning`, in a graph: a train operation, and a Supervisor that runs it.

As in TF 1.15, under its names of operations; the Supervisor is the one of our sessions. A trace (`trace_every_n_steps`)
is the one thing that it does not write.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import tensorflow as tf

_v1 = tf.compat.v1
_USE_DEFAULT = 0
_USE_GLOBAL_STEP = 0


def clip_gradient_norms(gradients_to_variables: Sequence[Any], max_norm: float) -> list[Any]:
    """Each gradient clipped to a norm, one by one."""
    clipped = []
    for gradient, variable in gradients_to_variables:
        if gradient is None:
            clipped.append((gradient, variable))
        else:
            clipped.append((_of_values(gradient, lambda values: tf.clip_by_norm(values, max_norm)), variable))
    return clipped


def multiply_gradients(grads_and_vars: list[Any], gradient_multipliers: dict[Any, Any]) -> list[Any]:
    """The gradients of the variables named (or given) times a number each.

    Raises:
        ValueError: No list, no dictionary, nothing in it, or a variable in it has no gradient.
    """
    if not isinstance(grads_and_vars, list):
        raise ValueError("`grads_and_vars` must be a list.")
    if not gradient_multipliers:
        raise ValueError("`gradient_multipliers` is empty.")
    if not isinstance(gradient_multipliers, dict):
        raise ValueError("`gradient_multipliers` must be a dict.")
    multiplied = []
    for grad, variable in grads_and_vars:
        gradient = grad
        by_object = [factor for key, factor in gradient_multipliers.items() if key is variable]
        factor = by_object[0] if by_object else gradient_multipliers.get(variable.op.name)
        if factor is not None:
            if gradient is None:
                raise ValueError("Requested multiple of `None` gradient.")
            if not isinstance(factor, tf.Tensor):
                factor = tf.constant(factor, dtype=gradient.dtype)
            gradient = _of_values(gradient, partial(_times, factor))
        multiplied.append((gradient, variable))
    return multiplied


def _times(factor: Any, values: tf.Tensor) -> tf.Tensor:
    return values * factor


def add_gradients_summaries(grads_and_vars: Sequence[Any]) -> list[tf.Tensor]:
    """A histogram and the norm of each gradient, as summaries."""
    summaries = []
    for gradient, variable in grads_and_vars:
        if gradient is None:
            _v1.logging.info("Var %s has no gradient", variable.op.name)
            continue
        values = gradient.values if isinstance(gradient, tf.IndexedSlices) else gradient
        summaries.append(_v1.summary.histogram(f"{variable.op.name}/gradient", values))
        summaries.append(
            _v1.summary.scalar(f"{variable.op.name}/gradient_norm", tf.linalg.global_norm([values]))
        )
    return summaries


def _of_values(gradient: Any, change: Callable[[Any], Any]) -> Any:
    if isinstance(gradient, tf.IndexedSlices):
        return tf.IndexedSlices(change(gradient.values), gradient.indices, gradient.dense_shape)
    return change(gradient)


def create_train_op(
    total_loss: tf.Tensor,
    optimizer: Any,
    global_step: Any = _USE_GLOBAL_STEP,
    update_ops: Any = None,
    variables_to_train: Any = None,
    clip_gradient_norm: float = 0,
    summarize_gradients: bool = False,
    gate_gradients: int = _v1.train.Optimizer.GATE_OP,
    aggregation_method: Any = None,
    colocate_gradients_with_ops: bool = False,
    gradient_multipliers: dict[Any, Any] | None = None,
    check_numerics: bool = True,
) -> tf.Tensor:
    """The loss as a tensor that updates the variables first: UPDATE_OPS, the gradients, `apply_gradients`."""

    def multiplied_and_clipped(gradients: list[Any]) -> list[Any]:
        if gradient_multipliers:
            with _v1.name_scope("multiply_grads"):
                gradients = multiply_gradients(gradients, gradient_multipliers)
        if clip_gradient_norm > 0:
            with _v1.name_scope("clip_grads"):
                gradients = clip_gradient_norms(gradients, clip_gradient_norm)
        return gradients

    return train_op_of(
        total_loss, optimizer, global_step, update_ops, variables_to_train, multiplied_and_clipped,
        summarize_gradients, gate_gradients, aggregation_method, colocate_gradients_with_ops, check_numerics,
    )  # fmt: skip


def train_op_of(
    total_loss: tf.Tensor,
    optimizer: Any,
    global_step: Any = _USE_GLOBAL_STEP,
    update_ops: Any = None,
    variables_to_train: Any = None,
    transform_grads_fn: Callable[[list[Any]], Sequence[Any]] | None = None,
    summarize_gradients: bool = False,
    gate_gradients: int = _v1.train.Optimizer.GATE_OP,
    aggregation_method: Any = None,
    colocate_gradients_with_ops: bool = False,
    check_numerics: bool = True,
) -> tf.Tensor:
    """What `create_train_op` of `tf.contrib.training` returns: any change of the gradients is one function's."""
    if global_step is _USE_GLOBAL_STEP:
        global_step = _v1.train.get_or_create_global_step()
    collected = _v1.get_collection(_v1.GraphKeys.UPDATE_OPS)
    updates = list(collected if update_ops is None else update_ops)
    if not {id(update) for update in collected} <= {id(update) for update in updates}:
        _v1.logging.warning(
            "update_ops in create_train_op does not contain all the update_ops in GraphKeys.UPDATE_OPS"
        )
    if updates:
        with tf.control_dependencies(updates):
            barrier = tf.no_op(name="update_barrier")
        total_loss = _after([barrier], total_loss)
    if variables_to_train is None:
        variables_to_train = _v1.trainable_variables()
    assert variables_to_train, "no variables to train"
    gradients = optimizer.compute_gradients(
        total_loss,
        variables_to_train,
        gate_gradients=gate_gradients,
        aggregation_method=aggregation_method,
        colocate_gradients_with_ops=colocate_gradients_with_ops,
    )
    if transform_grads_fn:
        gradients = transform_grads_fn(gradients)
    if summarize_gradients:
        with _v1.name_scope("summarize_grads"):
            add_gradients_summaries(gradients)
    applied = optimizer.apply_gradients(gradients, global_step=global_step)
    with _v1.name_scope("train_op"):
        if check_numerics:
            total_loss = tf.debugging.check_numerics(total_loss, "LossTensor is inf or nan")
        train_op = _after([applied], total_loss)
    train_ops = _v1.get_collection_ref(_v1.GraphKeys.TRAIN_OP)
    if not any(other is train_op for other in train_ops):
        train_ops.append(train_op)
    return train_op


def _after(operations: list[Any], tensor: tf.Tensor) -> tf.Tensor:
    """The tensor, once the operations have run."""
    scope = _v1.name_scope(None, "control_dependency")
    with scope as name, _v1.colocate_with(tensor), tf.control_dependencies(operations):
        return tf.identity(tensor, name=name)


def train_step(
    sess: Any, train_op: Any, global_step: Any, train_step_kwargs: dict[str, Any]
) -> tuple[Any, Any]:
    """One step; gives the loss, and whether to stop."""
    started = time.time()
    total_loss, step = sess.run([train_op, global_step])
    elapsed = time.time() - started
    if "should_log" in train_step_kwargs and sess.run(train_step_kwargs["should_log"]):
        _v1.logging.info("global step %d: loss = %.4f (%.3f sec/step)", step, total_loss, elapsed)
    if "should_stop" in train_step_kwargs:
        return total_loss, sess.run(train_step_kwargs["should_stop"])
    return total_loss, False


def train(  # noqa: PLR0915 - in TF1's order
    train_op: Any,
    logdir: str | None,
    train_step_fn: Callable[..., Any] = train_step,
    train_step_kwargs: Any = _USE_DEFAULT,
    log_every_n_steps: int = 1,
    graph: tf.Graph | None = None,
    master: str = "",
    is_chief: bool = True,
    global_step: Any = None,
    number_of_steps: int | None = None,
    init_op: Any = _USE_DEFAULT,
    init_feed_dict: Any = None,
    local_init_op: Any = _USE_DEFAULT,
    init_fn: Callable[[Any], None] | None = None,
    ready_op: Any = _USE_DEFAULT,
    summary_op: Any = _USE_DEFAULT,
    save_summaries_secs: float = 600,
    summary_writer: Any = _USE_DEFAULT,
    startup_delay_steps: int = 0,
    saver: Any = None,
    save_interval_secs: float = 600,
    sync_optimizer: Any = None,
    session_config: Any = None,
    session_wrapper: Callable[[Any], Any] | None = None,
    trace_every_n_steps: int | None = None,
    ignore_live_threads: bool = False,
    *,
    _supervisor: Any = None,
) -> Any:
    """Trains under a Supervisor until `number_of_steps` or the end of the input, and gives the last loss.

    `_supervisor` is the class of it: that of our sessions; for the originals of tests TensorFlow's own.

    Raises:
        ValueError: Arguments that contradict each other, as TF 1.15 says it.
        NotImplementedError: `trace_every_n_steps`.
    """
    if trace_every_n_steps is not None:
        raise NotImplementedError("trace_every_n_steps: traces are written with tf.profiler in TF 2")
    if isinstance(sync_optimizer, _v1.train.SyncReplicasOptimizer):
        sync_optimizer = [sync_optimizer]
    _check(train_op, logdir, summary_op, saver, sync_optimizer, startup_delay_steps, number_of_steps)
    graph = graph or _v1.get_default_graph()
    with graph.as_default():
        if global_step is None:
            global_step = _v1.train.get_or_create_global_step()
        saver = saver or _v1.train.Saver()
        with _v1.name_scope("init_ops"):
            if _default(init_op):
                init_op = _v1.global_variables_initializer()
            if _default(ready_op):
                ready_op = _v1.report_uninitialized_variables()
            if _default(local_init_op):
                local_init_op = tf.group(_v1.local_variables_initializer(), _v1.tables_initializer())
            ready_for_local_init_op = None
            if sync_optimizer is not None:
                with tf.control_dependencies([local_init_op] if local_init_op is not None else []):
                    local_init_op = tf.group(
                        *[
                            optimizer.chief_init_op if is_chief else optimizer.local_step_init_op
                            for optimizer in sync_optimizer
                        ]
                    )
                ready_for_local_init_op = tf.group(
                    *[optimizer.ready_for_local_init_op for optimizer in sync_optimizer]
                )
        if _default(summary_op):
            summary_op = _v1.summary.merge_all()
        tokens, runners = None, None
        if is_chief and sync_optimizer is not None:  # before the Supervisor closes the graph
            tokens = [optimizer.get_init_tokens_op() for optimizer in sync_optimizer]
            runners = [optimizer.get_chief_queue_runner() for optimizer in sync_optimizer]
        if _default(train_step_kwargs):
            train_step_kwargs = _step_tensors(global_step, number_of_steps, log_every_n_steps)
    if _supervisor is None:
        from tf2towers.runtime.graph_session.managed import Supervisor as _supervisor
    supervisor = _supervisor(
        graph=graph,
        is_chief=is_chief,
        logdir=logdir,
        init_op=init_op,
        init_feed_dict=init_feed_dict,
        local_init_op=local_init_op,
        ready_for_local_init_op=ready_for_local_init_op,
        ready_op=ready_op,
        summary_op=summary_op,
        summary_writer=_supervisor.USE_DEFAULT if _default(summary_writer) else summary_writer,
        global_step=global_step,
        saver=saver,
        save_summaries_secs=save_summaries_secs,
        save_model_secs=save_interval_secs,
        init_fn=init_fn,
    )
    if summary_writer is not None:
        train_step_kwargs["summary_writer"] = supervisor.summary_writer
    total_loss = None
    while True:
        try:
            with supervisor.managed_session(
                master, start_standard_services=False, config=session_config
            ) as managed:
                session = managed
                _v1.logging.info("Starting Session.")
                if session_wrapper is not None:
                    _v1.logging.info("Wrapping session with wrapper function: %s", session_wrapper)
                    session = session_wrapper(session)
                if is_chief:
                    if logdir:
                        supervisor.start_standard_services(session)
                elif startup_delay_steps > 0:
                    least = min(startup_delay_steps, number_of_steps or sys.maxsize)
                    while _v1.train.global_step(session, global_step) < least:
                        time.sleep(1.0)
                threads = supervisor.start_queue_runners(session)
                _v1.logging.info("Starting Queues.")
                if runners is not None:
                    supervisor.start_queue_runners(session, runners)
                    session.run(tokens)
                try:
                    while not supervisor.should_stop():
                        total_loss, stop = train_step_fn(session, train_op, global_step, train_step_kwargs)
                        if stop:
                            _v1.logging.info("Stopping Training.")
                            supervisor.request_stop()
                            break
                except tf.errors.OutOfRangeError as end:
                    _v1.logging.info("Caught OutOfRangeError. Stopping Training. %s", end)
                if logdir and supervisor.is_chief:
                    _v1.logging.info("Finished training! Saving model to disk.")
                    supervisor.saver.save(session, supervisor.save_path, global_step=supervisor.global_step)
                    supervisor.stop(
                        threads, close_summary_writer=True, ignore_live_threads=ignore_live_threads
                    )
            return total_loss
        except tf.errors.AbortedError:  # a server was started again
            _v1.logging.info("Retrying training!")


def _default(value: Any) -> bool:
    """Whether an argument was left out. TF 1 compares with 0; a tensor is never equal to it."""
    return isinstance(value, int) and value == _USE_DEFAULT


def _check(
    train_op: Any,
    logdir: str | None,
    summary_op: Any,
    saver: Any,
    sync_optimizer: Any,
    startup_delay_steps: int,
    number_of_steps: int | None,
) -> None:
    if train_op is None:
        raise ValueError("train_op cannot be None.")
    if logdir is None:
        if not _default(summary_op):
            raise ValueError("Cannot provide summary_op because logdir=None")
        if saver is not None:
            raise ValueError("Cannot provide saver because logdir=None")
    for optimizer in sync_optimizer or []:
        if not isinstance(optimizer, _v1.train.SyncReplicasOptimizer):
            raise ValueError("`sync_optimizer` must be a tf.train.SyncReplicasOptimizer.")
    if sync_optimizer is not None and startup_delay_steps > 0:
        raise ValueError("startup_delay_steps must be zero when sync_optimizer is supplied.")
    if number_of_steps is not None and number_of_steps <= 0:
        raise ValueError("`number_of_steps` must be either None or a positive number.")


def _step_tensors(
    global_step: Any, number_of_steps: int | None, log_every_n_steps: int
) -> dict[str, tf.Tensor]:
    with _v1.name_scope("train_step"):
        tensors = {
            "should_stop": tf.greater_equal(global_step, number_of_steps)
            if number_of_steps
            else tf.constant(False)
        }
        if log_every_n_steps > 0:
            tensors["should_log"] = tf.equal(tf.math.floormod(global_step, log_every_n_steps), 0)
    return tensors

"""Gradients of a tower, their average over the towers, and the update: `average_gradients` on `tf.distribute`.

compute_gradients  ->  tower_gradients      (the same symbolic gradients, tf.gradients)
average_gradients  ->  average_gradients    (one all-reduce MEAN)
apply_gradients    ->  apply_gradients      (once, not once a replica)
minimize           ->  minimize             (all three, where no tower loop took them apart)
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

import tensorflow as tf

from tf2towers.runtime import collections as graph_collections
from tf2towers.runtime import optimizer_state
from tf2towers.runtime.tower_values import gather_towers, meet
from tf2towers.runtime.variable_store import current_store

GradsAndVars = list[tuple[Any, Any]]

_order = {"towers": False}


def tower_gradients(loss: Any, var_list: Sequence[Any] | None = None, **options: Any) -> GradsAndVars:
    """(gradient, variable) pairs of one tower, as `Optimizer.compute_gradients(loss, var_list)` gave them.

    Args:
        loss: a tensor of the tower, any shape (its elements are summed, as in TF1).
        var_list: the variables; by default the trainable ones this tower has used.
        options: `grad_loss`, `stop_gradients` for `tf.gradients`.

    Returns:
        One pair a variable, in order; the gradient is None where `loss` does not depend on the variable.

    `tf.gradients` adds the terms of a shared weight in the order the TF1 graph did, so the result is bit-identical; a
    `tf.GradientTape` may add three or more in another order.
    """
    variables = list(tf.compat.v1.trainable_variables() if var_list is None else var_list)
    if not variables:
        raise ValueError("no trainable variables: was the model built inside VariableStore.scope()?")
    grads = tf.gradients(loss, variables, grad_ys=options.get("grad_loss"))
    return list(zip(grads, variables, strict=True))


@contextlib.contextmanager
def in_tower_order(active: bool = True) -> Iterator[None]:
    """Functions traced in here average by gathering and then taking the mean, in tower order, as the TF1 code did.

    An all-reduce adds more than two towers in another order, and the last bit may differ; under this context nothing
    but the model can.
    """
    was_active = _order["towers"]
    _order["towers"] = active
    try:
        yield
    finally:
        _order["towers"] = was_active


def average_gradients(grads_and_vars: Sequence[tuple[Any, Any]]) -> GradsAndVars:
    """The mean over the towers of each gradient: one all-reduce, the same pairs on every tower.

    Args:
        grads_and_vars: this tower's pairs; a None gradient stays None and must be None in every tower.

    A `tf.IndexedSlices` gradient (an embedding's) is averaged densely, as `tf.expand_dims` densified it in TF1.
    """
    pairs = [
        (None if gradient is None else tf.convert_to_tensor(gradient), variable)
        for gradient, variable in grads_and_vars
    ]
    present = [gradient for gradient, _ in pairs if gradient is not None]
    if not present:
        raise ValueError("no gradients to average: every one is None")
    if (
        tf.distribute.get_strategy().num_replicas_in_sync == 1
    ):  # a parameter server's strategy reduces nothing
        return pairs
    means = iter(_mean_in_tower_order(present) if _order["towers"] else _all_reduce_mean(present))
    return [(None if gradient is None else next(means), variable) for gradient, variable in pairs]


def _all_reduce_mean(tensors: list[Any]) -> list[Any]:
    def merge(strategy: Any, *per_replica: Any) -> Any:
        return strategy.extended.batch_reduce_to(
            tf.distribute.ReduceOp.MEAN, [(value, value) for value in per_replica]
        )

    return list(meet(merge, *tensors))


def _mean_in_tower_order(tensors: list[Any]) -> list[Any]:
    """Concat on a new 'tower' dimension, then `reduce_mean`, as the tutorial's `average_gradients` reads."""
    towers = gather_towers(tuple(tensors))
    return [
        tf.reduce_mean(tf.concat([tf.expand_dims(grad, 0) for grad in grads], 0), 0)
        for grads in zip(*towers, strict=True)
    ]


def minimize(
    opt: Any, loss: Any, global_step: Any = None, var_list: Sequence[Any] | None = None, **options: Any
) -> Any:
    """`opt.minimize(loss)`: the gradients, their mean over synchronous workers, one update.

    Args:
        opt: a `tf.compat.v1.train.Optimizer`.
        loss: a tensor of this tower or worker; its elements are summed, as in TF1.
        global_step: incremented by one, once a step.
        var_list: the variables; by default the trainable ones that this step has used.

    Raises:
        ValueError: no variable has a gradient.
    """
    name = options.pop("name", None)
    pairs = tower_gradients(loss, var_list, **options)
    if all(gradient is None for gradient, _ in pairs):
        raise ValueError(f"no gradients for any variable: {[variable.name for _, variable in pairs]}")
    context = tf.distribute.get_replica_context()
    if context is not None and context.num_replicas_in_sync > 1:
        pairs = average_gradients(pairs)
    return apply_gradients(opt, pairs, global_step=global_step, name=name)


def apply_gradients(
    opt: Any, grads_and_vars: Sequence[tuple[Any, Any]], global_step: Any = None, name: str | None = None
) -> Any:
    """`opt.apply_gradients` for gradients that the towers have averaged already.

    A `tf.compat.v1.train` optimizer SUMs over the replicas when it applies (tensorflow/tensorflow issue 35333); with
    every replica holding the mean, the update would be num_replicas times too large. So the first tower gives the
    mean and the others give zeros: the sum is the mean, to the bit, for any number of towers.

    Args:
        opt: a `tf.compat.v1.train.Optimizer`.
        grads_and_vars: averaged pairs, equal on every tower.
        global_step: incremented by one, once a step.
    """
    pairs = list(grads_and_vars)
    store = current_store()
    optimizer_state.register(store, opt)
    context = tf.distribute.get_replica_context()
    if context is not None and context.num_replicas_in_sync > 1:
        if tf.get_static_value(context.replica_id_in_sync_group) != 0:
            pairs = [(_zeros(gradient), variable) for gradient, variable in pairs]
    with graph_collections.set_aside():
        update = opt.apply_gradients(pairs, global_step=global_step, name=name)
    optimizer_state.restore_pending(store)
    return update


def _zeros(grad: Any) -> Any:
    if grad is None:
        return None
    if isinstance(grad, tf.IndexedSlices):
        return tf.IndexedSlices(tf.zeros_like(grad.values), grad.indices, grad.dense_shape)
    return tf.zeros_like(grad)

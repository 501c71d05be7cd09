"""What the files of contrib took from private modules of TensorFlow, on its public API."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

v1 = tf.compat.v1


def with_dependencies(dependencies: Sequence[Any], tensor: Any, name: str | None = None) -> Any:
    """`tensor`, to be had once the dependencies have run."""
    with (
        v1.name_scope(name, "control_dependency", [*dependencies, tensor]),
        v1.control_dependencies(dependencies),
    ):
        return tf.identity(tensor)


def smart_cond(
    pred: Any, true_fn: Callable[[], Any], false_fn: Callable[[], Any], name: str | None = None
) -> Any:
    """`tf.cond`, or the branch itself where the predicate is known."""
    value = tf.get_static_value(pred) if tf.is_tensor(pred) else pred
    if value is None:
        return v1.cond(pred, true_fn=true_fn, false_fn=false_fn, name=name)
    return true_fn() if value else false_fn()


def zero_state_tensors(state_size: Any, batch_size: Any, dtype: Any) -> Any:
    """Zeros of the structure of `state_size`, each (batch_size, size), as RNNCell.zero_state makes them."""

    def zeros(size: Any) -> tf.Tensor:
        sizes: list[Any] = [size]  # a scalar tensor, or a number
        if not tf.is_tensor(size) and not isinstance(size, (int, np.integer)):
            sizes = tf.TensorShape(size).as_list()
        made = tf.zeros(tf.stack([batch_size, *sizes]), dtype)
        made.set_shape([_known(size) for size in (batch_size, *sizes)])
        return made

    return tf.nest.map_structure(zeros, state_size)


def _known(size: Any) -> Any:
    return tf.get_static_value(size) if tf.is_tensor(size) else size


def assert_like_rnncell(name: str, cell: Any) -> None:
    """Raises TypeError for an object that does not behave as a cell."""
    has = [hasattr(cell, attribute) for attribute in ("output_size", "state_size", "zero_state")]
    if not (all(has) or (has[0] and has[1] and hasattr(cell, "get_initial_state"))) or not callable(cell):
        raise TypeError(f"The argument {name!r} ({cell}) is not an RNNCell")


def transpose_batch_time(value: tf.Tensor) -> tf.Tensor:
    """(batch, time, ...) <-> (time, batch, ...); a value of less than two dimensions stays."""
    shape = value.shape
    if shape.rank is not None and shape.rank < 2:
        return value
    transposed = tf.transpose(value, tf.concat(([1, 0], tf.range(2, tf.rank(value))), axis=0))
    if shape.rank is not None:
        transposed.set_shape([shape[1], shape[0], *shape[2:]])
    return transposed


def with_same_shape(expected: tf.Tensor, tensor: tf.Tensor) -> tf.Tensor:
    """`tensor`, with an assertion about its shape where that is not known.

    Raises:
        ValueError: it has another shape.
    """
    if expected.shape.is_fully_defined() and tensor.shape.is_fully_defined():
        if expected.shape.as_list() != tensor.shape.as_list():
            raise ValueError(
                f"Invalid shape {tensor.shape} of tensor {tensor.name}, expected {expected.shape}."
            )
        return tensor
    wanted = expected.shape.as_list() if expected.shape.is_fully_defined() else tf.shape(expected)
    check = v1.assert_equal(wanted, tf.shape(tensor), message=f"Wrong shape for {tensor.name}")
    checked = with_dependencies([check], tensor)
    checked.set_shape(tensor.shape.merge_with(expected.shape))
    return checked


def in_while_loop() -> bool:
    """Whether the graph is being built inside a `tf.while_loop`."""
    context = v1.get_default_graph()._get_control_flow_context()
    while context is not None:
        if context.IsWhileContext():
            return True
        context = context.outer_context
    return False


def gather_tree(step_ids: Any, parent_ids: Any, max_sequence_lengths: Any, end_token: Any) -> tf.Tensor:
    """The beams that end in each (batch, beam), from ids and parents (time, batch, beam) each.

    The kernel of this name was in a library of contrib's; these are its numbers: behind the longest sequence of a batch
    entry, and behind the first end token of a beam, there are end tokens only.
    """
    step_ids, parent_ids = tf.convert_to_tensor(step_ids), tf.convert_to_tensor(parent_ids)
    end = tf.cast(end_token, step_ids.dtype)
    steps, batch, beams = tf.unstack(tf.shape(step_ids))
    lengths = tf.expand_dims(max_sequence_lengths, 1)
    first = tf.tile(tf.expand_dims(tf.range(beams), 0), [batch, 1])

    def back(time: Any, parents: Any, found: Any) -> Any:
        ids = tf.gather(step_ids[time], parents, batch_dims=1)
        earlier_parents = tf.gather(tf.cast(parent_ids[time], tf.int32), parents, batch_dims=1)
        inside = tf.broadcast_to(time < lengths, tf.shape(ids))
        found = found.write(time, tf.where(inside, ids, tf.fill(tf.shape(ids), end)))
        return time - 1, tf.where(inside, earlier_parents, parents), found

    beams_of = v1.while_loop(
        lambda time, *_: time >= 0,
        back,
        (steps - 1, first, tf.TensorArray(step_ids.dtype, size=steps)),
        shape_invariants=(tf.TensorShape([]), tf.TensorShape([None, None]), tf.TensorShape(None)),
        back_prop=False,
    )[2].stack()
    ended = tf.cumsum(tf.cast(tf.equal(beams_of, end), tf.int32), axis=0, exclusive=True) > 0
    result = tf.where(ended, tf.fill(tf.shape(beams_of), end), beams_of)
    result.set_shape(step_ids.shape)
    return result

"""`tf.contrib.distributions.percentile`."""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf


def percentile(
    x: Any,
    q: Any,
    axis: Any = None,
    interpolation: str | None = None,
    keep_dims: bool = False,
    validate_args: bool = False,
    name: str | None = None,
) -> tf.Tensor:
    """The value of `x`, along some axes, that `q` of a hundred are not above.

    Args:
        interpolation: 'lower', 'higher' or 'nearest' (the default): which of two values `q` lies between.
    """
    interpolation = interpolation or "nearest"
    if interpolation not in ("lower", "higher", "nearest"):
        raise ValueError(
            f"Argument 'interpolation' must be 'lower', 'higher' or 'nearest'.  Found {interpolation}"
        )
    with tf.name_scope(name or "percentile", values=[x, q]):
        x = tf.convert_to_tensor(x, name="x")
        q = tf.cast(q, tf.float64, name="q")
        if q.shape.rank not in (0, None):
            raise ValueError(f"Argument 'q' must be a scalar.  Found tensor {q}")
        if validate_args:
            least, most = tf.cast(0.0, tf.float64), tf.cast(100.0, tf.float64)
            in_range = [
                tf.assert_rank(q, 0),
                tf.assert_greater_equal(q, least),
                tf.assert_less_equal(q, most),
            ]
            with tf.control_dependencies(in_range):
                q = tf.identity(q)
        axes = None if axis is None else _axes(axis, x)
        values = tf.reshape(x, [-1]) if axes is None else _flat_end(x, axes)
        last = tf.cast(tf.shape(values)[-1], tf.float64) - 1
        place = last * (1.0 - q / 100.0)  # from the greatest on
        place = {"lower": tf.ceil, "higher": tf.floor, "nearest": tf.round}[interpolation](place)
        count = tf.shape(values)[-1]
        index = tf.clip_by_value(tf.cast(place, tf.int32), 0, count - 1)
        result = tf.nn.top_k(values, k=count).values[..., index]
        result.set_shape(values.shape[:-1])
        if not keep_dims:
            return result
        if axes is None:
            rank = tf.rank(x) if x.shape.rank is None else x.shape.rank
            return result * tf.ones(tf.ones([rank], tf.int32), x.dtype)
        for kept in sorted(axes):
            result = tf.expand_dims(result, kept)
        return result


def _axes(axis: Any, x: tf.Tensor) -> list[int]:
    """The axes, counted from the first, in the order in which they were given."""
    known = tf.get_static_value(tf.convert_to_tensor(axis))
    rank = x.shape.rank
    if known is None or rank is None:
        raise ValueError(
            f"Expected argument 'axis' and the rank of 'x' to be statically available.  Found: {axis}, {x}"
        )
    found = []
    for place in known.reshape([-1]).tolist():
        if not -rank <= place < rank:
            raise ValueError(f"dim {place} not in the interval [{-rank}, {rank - 1}].")
        found.append(place % rank)
    return found


def _flat_end(x: tf.Tensor, axes: list[int]) -> tf.Tensor:
    """The axes moved to the end, as one."""
    front = [place for place in range(x.shape.rank) if place not in axes]
    moved = tf.transpose(x, front + axes)
    sizes = x.shape.as_list()
    if None not in sizes:
        return tf.reshape(moved, [*(sizes[place] for place in front), -1])
    return tf.reshape(moved, tf.concat([tf.shape(moved)[: len(front)], [-1]], 0))


__all__ = ["percentile"]

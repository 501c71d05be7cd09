"""Functions of `tf.contrib.distributions`: `percentile` and `kl_divergence`."""

from typing import Any

import tensorflow as tf

v1 = tf.compat.v1


def percentile(
    x: Any,
    q: Any,
    axis: Any = None,
    interpolation: str | None = None,
    keep_dims: bool = False,
    validate_args: bool = False,
    name: str | None = None,
) -> tf.Tensor:
    """The value of `x` below which `q` percent of the values along some axes, by default all, are.

    It is one of the values: the one next to that place, or with `interpolation` "lower" or "higher"
    before or after it.

    Raises:
        InvalidArgumentError, when it runs: with `validate_args`, q is not between 0 and 100.
        ValueError: another interpolation.
    """
    # the place is counted from the largest value, as in TensorFlow 1: halves are rounded to even
    # numbers from there
    roundings = {"nearest": tf.math.rint, "lower": tf.math.ceil, "higher": tf.math.floor}
    if (interpolation or "nearest") not in roundings:
        raise ValueError(f"percentile does not know the interpolation {interpolation}")
    with v1.name_scope(name, "percentile", [x, q]):
        x, q = tf.convert_to_tensor(x), tf.cast(q, tf.float64)
        if validate_args:
            checks = [v1.assert_non_negative(q), v1.assert_less_equal(q, tf.constant(100.0, tf.float64))]
            with v1.control_dependencies(checks):
                q = tf.identity(q)
        rank = x.shape.rank
        axes = range(rank) if axis is None else [each % rank for each in tf.nest.flatten(axis)]
        kept = [each for each in range(rank) if each not in axes]
        rows = tf.reshape(
            tf.transpose(x, [*kept, *axes]),
            tf.concat([tf.gather(tf.shape(x), tf.constant(kept, tf.int32)), [-1]], 0),
        )
        last = tf.shape(rows)[-1] - 1
        place = roundings[interpolation or "nearest"](tf.cast(last, tf.float64) * (1 - q / 100))
        found = tf.gather(
            tf.sort(rows, direction="DESCENDING"),
            tf.clip_by_value(tf.cast(place, tf.int32), 0, last),
            axis=-1,
        )
        found.set_shape([x.shape[each] for each in kept])
        for each in sorted(axes) if keep_dims else ():
            found = tf.expand_dims(found, each)
        return found


def kl_divergence(
    distribution_a: Any, distribution_b: Any, allow_nan_stats: bool = True, name: str | None = None
) -> tf.Tensor:
    """The Kullback-Leibler divergence of distributions of TensorFlow or TFP."""
    parts = (distribution_a, distribution_b)
    if all(isinstance(each, v1.distributions.Distribution) for each in parts):
        return v1.distributions.kl_divergence(*parts, allow_nan_stats=allow_nan_stats, name=name)
    from tf2towers.runtime.tf1.distributions import of_tfp, tfd

    return tfd.kl_divergence(*map(of_tfp, parts), allow_nan_stats=allow_nan_stats, name=name)

"""`tf.contrib.distributions.MultivariateNormalDiag`: independent normal numbers as one vector."""

from __future__ import annotations

import math
from typing import Any

import tensorflow as tf

v1 = tf.compat.v1
_Distribution: Any = v1.distributions.Distribution


class MultivariateNormalDiag(_Distribution):
    """`loc + scale * normal`, where `scale` is `scale_diag + scale_identity_multiplier`.

    The numbers are TF 1.15's: it draws a standard normal of the same shape with the same seed, and scales it.
    """

    def __init__(
        self,
        loc: Any = None,
        scale_diag: Any = None,
        scale_identity_multiplier: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalDiag",
    ) -> None:
        parameters = dict(locals())
        if loc is None and scale_diag is None:
            raise ValueError("Must specify at least one of `loc` and `scale_diag`.")
        with v1.name_scope(name, values=[loc, scale_diag, scale_identity_multiplier]) as scope:
            dtype = next(
                (
                    argument.dtype
                    for argument in (loc, scale_diag, scale_identity_multiplier)
                    if hasattr(argument, "dtype")
                ),
                tf.float32,
            )
            dtype = tf.as_dtype(dtype).base_dtype
            scale = tf.convert_to_tensor(0.0 if scale_diag is None else scale_diag, dtype)
            if scale_identity_multiplier is not None:
                multiplier = tf.convert_to_tensor(scale_identity_multiplier, dtype)
                scale = scale + (multiplier if scale_diag is None else multiplier[..., None])
            elif scale_diag is None:
                scale = tf.ones([], dtype)
            self._loc = None if loc is None else tf.convert_to_tensor(loc, dtype, name="loc")
            self._whole = scale if self._loc is None else tf.zeros_like(self._loc) + scale
            if validate_args:
                with v1.control_dependencies([v1.assert_none_equal(scale, tf.zeros([], dtype))]):
                    self._whole = tf.identity(self._whole)
        super().__init__(
            dtype=dtype,
            reparameterization_type=v1.distributions.FULLY_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._whole],
            name=scope,
        )

    @property
    def loc(self) -> Any:
        """The mean as it was given, or None for zeros."""
        return self._loc

    def _batch_shape_tensor(self) -> Any:
        return tf.shape(self._whole)[:-1]

    def _batch_shape(self) -> Any:
        return self._whole.shape[:-1]

    def _event_shape_tensor(self) -> Any:
        return tf.shape(self._whole)[-1:]

    def _event_shape(self) -> Any:
        return self._whole.shape[-1:]

    def _mean(self) -> Any:
        return tf.zeros_like(self._whole) if self._loc is None else self._loc + tf.zeros_like(self._whole)

    _mode = _mean

    def _stddev(self) -> Any:
        return tf.abs(self._whole)

    def _variance(self) -> Any:
        return tf.square(self._whole)

    def _covariance(self) -> Any:
        return tf.linalg.diag(tf.square(self._whole))

    def _log_determinant(self) -> Any:
        return tf.reduce_sum(tf.math.log(tf.abs(self._whole)), axis=-1)

    def _half_log_of_two_pi(self) -> Any:
        return 0.5 * math.log(2.0 * math.pi)

    def _log_prob(self, x: Any) -> Any:
        normal = (x - self._mean()) / self._whole
        each = -0.5 * tf.square(normal) - self._half_log_of_two_pi()
        return tf.reduce_sum(each, axis=-1) - self._log_determinant()

    def _prob(self, x: Any) -> Any:
        return tf.exp(self._log_prob(x))

    def _entropy(self) -> Any:
        size = tf.cast(tf.shape(self._whole)[-1], self.dtype)
        return size * (0.5 + self._half_log_of_two_pi()) + self._log_determinant()

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        shape = tf.concat([[n], tf.shape(self._whole)], axis=0)
        drawn = v1.random_normal(shape, mean=0.0, stddev=1.0, dtype=self.dtype, seed=seed)
        return drawn * self._whole + self._mean()


def _divergence(a: Any, b: Any, name: str | None = None) -> Any:
    """The KL divergence of two of them: the sum over the dimensions."""
    with v1.name_scope(name, "kl_mvn"):
        ratio = tf.square(a.stddev() / b.stddev())
        distance = tf.square((b.mean() - a.mean()) / b.stddev())
        return 0.5 * tf.reduce_sum(ratio + distance - 1.0 - tf.math.log(ratio), axis=-1)


v1.distributions.RegisterKL(MultivariateNormalDiag, MultivariateNormalDiag)(_divergence)

"""Batch renormalization (Ioffe 2017, https://arxiv.org/abs/1702.03275), as TF1's batch norm layers had it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import tensorflow as tf

from tf2towers.runtime.layers.control import smart_cond
from tf2towers.runtime.layers.moving_average import as_operation, subtract_towards
from tf2towers.runtime.layers.types import Initializer, Training

_CLIPPING = ("rmin", "rmax", "dmax")


@dataclass
class Renormalization:
    """The three variables that a renormalized layer has more, and what is computed with them.

    `moving_stddev` is what `moving_variance` is made of, for inference; `mean` and `stddev` (`renorm_mean` and
    `renorm_stddev`) correct the batch's moments in training.
    """

    moving_stddev: Any
    mean: Any
    stddev: Any
    clipping: dict[str, Any]
    momentum: float
    epsilon: float

    @staticmethod
    def checked_clipping(clipping: dict[str, Any] | None) -> dict[str, Any]:
        """`renorm_clipping`: limits of the correction, any of `rmin`, `rmax`, `dmax`.

        Raises:
            ValueError: for other keys.
        """
        if set(clipping or {}) - set(_CLIPPING):
            raise ValueError(f"renorm_clipping {clipping} contains keys not in {list(_CLIPPING)}")
        return clipping or {}

    @classmethod
    def of(
        cls,
        make: Callable[[str, Initializer], Any],
        mean_initializer: Callable[..., Any],
        variance_initializer: Callable[..., Any],
        **numbers: Any,
    ) -> Renormalization:
        """Makes the variables, in TF1's order, with `make(name, initializer)`."""

        def root(*arguments: Any, **options: Any) -> tf.Tensor:
            return tf.sqrt(variance_initializer(*arguments, **options))

        moving_stddev = make("moving_stddev", root)
        return cls(
            moving_stddev, make("renorm_mean", mean_initializer), make("renorm_stddev", root), **numbers
        )

    def correct(
        self, mean: tf.Tensor, variance: tf.Tensor, training: Training
    ) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor, tf.Tensor]:
        """(r, d, mean, variance): the corrections, and the moments once both averages are updated.

        The normalized values are multiplied by r, and d is added to them; both have the shape of the mean.
        """
        stddev = tf.sqrt(variance + self.epsilon)
        before = tf.maximum(
            self.stddev, tf.sqrt(self.epsilon)
        )  # nothing is divided by zero early in training
        r, d = stddev / before, (mean - self.mean) / before
        with tf.control_dependencies([r, d]):  # the corrections are by the averages before this step
            mean, stddev = tf.identity(mean), tf.identity(stddev)
        least_r, most_r, most_d = (self.clipping.get(key) for key in _CLIPPING)
        if least_r is not None:
            r = tf.maximum(r, least_r)
        if most_r is not None:
            r = tf.minimum(r, most_r)
        if most_d is not None:
            d = tf.minimum(tf.maximum(d, -most_d), most_d)
        batch_r, batch_d = r, d
        r = tf.stop_gradient(smart_cond(training, lambda: batch_r, lambda: tf.ones_like(batch_r)))
        d = tf.stop_gradient(smart_cond(training, lambda: batch_d, lambda: tf.zeros_like(batch_d)))
        updates = [self._update(self.mean, mean, training), self._update(self.stddev, stddev, training)]
        with tf.control_dependencies(
            updates
        ):  # the corrections do not wait: a run without update operations has none
            return r, d, tf.identity(mean), tf.identity(variance)

    def update_variance(self, moving_variance: Any, variance: tf.Tensor, momentum: float) -> Any:
        """The operation that moves the inference average towards the batch's standard deviation."""
        step = subtract_towards(self.moving_stddev, tf.sqrt(variance + self.epsilon), momentum)
        with tf.control_dependencies([step]), tf.name_scope("AssignNewValue"):
            stddev = self.moving_stddev.read_value()
            return as_operation(moving_variance.assign(tf.nn.relu(stddev * stddev - self.epsilon)))

    def _update(self, average: Any, value: tf.Tensor, training: Training) -> tf.Tensor:
        value = tf.identity(value)

        def update() -> tf.Tensor:
            with tf.control_dependencies([subtract_towards(average, value, self.momentum)]):
                return average.read_value()

        return smart_cond(training, update, lambda: tf.identity(average))

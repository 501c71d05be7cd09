"""`tf.contrib.mixed_precision`: scales the loss: small float16 gradients do not vanish."""

from typing import Any

import tensorflow as tf

v1 = tf.compat.v1


class LossScaleManager:
    """What `LossScaleOptimizer` asks: `get_loss_scale()` and `update_loss_scale(finite_grads)`.

    `finite_grads` is a bool scalar: whether all gradients of a step are numbers.
    """


class FixedLossScaleManager(LossScaleManager):
    """A scale that stays as it is; a ValueError below 1."""

    def __init__(self, loss_scale: float) -> None:
        if loss_scale < 1:
            raise ValueError(f"a loss scale is at least 1, not {loss_scale}")
        self._loss_scale = tf.convert_to_tensor(loss_scale, tf.float32)

    def get_loss_scale(self) -> tf.Tensor:
        """The scale."""
        return self._loss_scale

    def update_loss_scale(self, finite_grads: Any) -> tf.Operation:
        """Nothing."""
        return tf.no_op()


class ExponentialUpdateLossScaleManager(LossScaleManager):
    """A scale that grows after a row of finite steps, and falls after steps that are not.

    Args:
        init_loss_scale: the first scale.
        incr_every_n_steps, incr_ratio: after so many finite steps in a row it is multiplied so,
            while it is finite.
        decr_every_n_nan_or_inf, decr_ratio: the same after so many other steps, not lower than 1.
    """

    def __init__(
        self,
        init_loss_scale: Any,
        incr_every_n_steps: int,
        decr_every_n_nan_or_inf: int = 2,
        incr_ratio: float = 2,
        decr_ratio: float = 0.8,
    ) -> None:
        self._grows, self._falls = (incr_every_n_steps, incr_ratio), (decr_every_n_nan_or_inf, decr_ratio)
        first = tf.convert_to_tensor(init_loss_scale, tf.float32)
        self._loss_scale = v1.Variable(first, trainable=False, name="loss_scale", dtype=tf.float32)
        self._num_good_steps = v1.Variable(0, trainable=False, name="good_steps", dtype=tf.int32)
        self._num_bad_steps = v1.Variable(0, trainable=False, name="bad_steps", dtype=tf.int32)

    def get_loss_scale(self) -> Any:
        """The variable of the scale."""
        return self._loss_scale

    def update_loss_scale(self, finite_grads: Any) -> Any:
        """Counts the step, and changes the scale where it is time to."""
        (often, more), (seldom, less) = self._grows, self._falls
        good, bad, scale = self._num_good_steps, self._num_bad_steps, self._loss_scale

        def changed(new: Any) -> tf.Operation:
            return tf.group(scale.assign(new), good.assign(0), bad.assign(0))

        def grow() -> tf.Operation:
            return changed(tf.where(tf.math.is_finite(scale * more), scale * more, scale))

        def count_good() -> tf.Operation:
            return tf.group(good.assign_add(1))

        def count_bad() -> tf.Operation:
            return tf.group(bad.assign_add(1), good.assign(0))

        def fall() -> tf.Operation:
            return changed(tf.maximum(1.0, scale * less))

        return v1.cond(
            finite_grads,
            lambda: v1.cond(good + 1 >= often, grow, count_good),
            lambda: v1.cond(bad + 1 >= seldom, fall, count_bad),
        )


class LossScaleOptimizer(tf.compat.v1.train.Optimizer):
    """An optimizer of a scaled loss: gradients are scaled back, steps of no numbers left out.

    The global step does not count that step.
    """

    def __init__(self, opt: Any, loss_scale_manager: Any) -> None:
        self._opt, self._loss_scale_manager = opt, loss_scale_manager

    def compute_gradients(self, loss: Any, *args: Any, **kwargs: Any) -> list[tuple[Any, Any]]:
        """The gradients of the loss itself, by the scaled one; arguments are the optimizer's."""
        loss, scale = loss() if callable(loss) else loss, self._loss_scale_manager.get_loss_scale()
        pairs = self._opt.compute_gradients(loss * tf.cast(scale, loss.dtype), *args, **kwargs)
        back = tf.math.reciprocal(scale)
        return [
            (None if gradient is None else gradient * tf.cast(back, gradient.dtype), variable)
            for gradient, variable in pairs
        ]

    def apply_gradients(self, grads_and_vars: Any, global_step: Any = None, name: str | None = None) -> Any:
        """The optimizer's update if all gradients are finite, and that of the scale."""
        pairs = list(grads_and_vars)
        finite = tf.reduce_all([tf.reduce_all(tf.math.is_finite(gradient)) for gradient, _ in pairs])
        update = v1.cond(finite, lambda: self._opt.apply_gradients(pairs, global_step, name), tf.no_op)
        return tf.group(update, self._loss_scale_manager.update_loss_scale(finite))

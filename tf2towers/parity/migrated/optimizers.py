"""The optimizers that a TF2 program applies, and the variables that they are given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

Pairs = list[tuple[Any, Any]]  # gradient (or None), variable


class Applied:
    """Watches every optimizer of TF1 (`tf.compat.v1.train.Optimizer`) and of Keras 3 from now on.

    Args:
        first: called with the optimizer's pairs before it applies them; gives operations that have to run before.

    Attributes:
        optimizers: those that were called, in order.
        variables: what they were given, in order, each once.
        without_gradient: of those, whose gradient was None.
    """

    def __init__(self, first: Callable[[Pairs], Sequence[Any]] = lambda _: ()) -> None:
        self._first = first
        self.optimizers: list[Any] = []
        self.variables: list[Any] = []
        self.without_gradient: list[Any] = []
        self._watch_v1()
        self._watch_keras()

    def _watch_v1(self) -> None:
        optimizer = tf.compat.v1.train.Optimizer
        apply = optimizer.apply_gradients
        watch = self

        def apply_gradients(self: Any, grads_and_vars: Any, *args: Any, **kwargs: Any) -> Any:
            pairs = list(grads_and_vars)
            with tf.control_dependencies(watch._called(self, pairs)):
                return apply(self, pairs, *args, **kwargs)

        optimizer.apply_gradients = tf.autograph.experimental.do_not_convert(apply_gradients)

    def _watch_keras(self) -> None:
        import keras

        optimizer = keras.optimizers.Optimizer
        apply = optimizer.apply
        watch = self

        def watched(self: Any, grads: Any, trainable_variables: Any = None) -> Any:
            grads = list(grads)
            variables = (
                self._trainable_variables if trainable_variables is None else list(trainable_variables)
            )
            with tf.control_dependencies(watch._called(self, list(zip(grads, variables, strict=True)))):
                return apply(self, grads, trainable_variables)

        base = next(one for one in optimizer.__mro__ if "apply" in vars(one))
        base.apply = tf.autograph.experimental.do_not_convert(watched)

    def _called(self, optimizer: Any, pairs: Pairs) -> Sequence[Any]:
        if not any(optimizer is one for one in self.optimizers):
            self.optimizers.append(optimizer)
        for gradient, variable in pairs:
            if not any(variable is one for one in self.variables):
                self.variables.append(variable)
                if gradient is None:
                    self.without_gradient.append(variable)
        return self._first(pairs)

"""The optimizers that a TF2 program applies, and the variables that they are given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

Pairs = list[tuple[Any, Any]]  # gradient (or None), variable


class Applied:
    """Watches every optimizer of TF1 (`tf.compat.v1.train.Optimizer`) and of Keras 3 from now on.

    A TF1 optimizer applies what `apply_gradients` is given. A Keras one first sums over the replicas (and clips, and
    what a subclass does): what it applies is what the last `update_step` is given, where one calls another.

    Args:
        first: called with (gradient, variable) pairs, several or one, before they are applied; gives operations that
            have to run before. It is called with nothing where an optimizer is, for what it is about to apply.

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
        self._stepped: set[tuple[int, int]] = set()  # Keras steps each replica's copy of a variable
        self._kinds: set[type] = set()  # whose `update_step` is watched
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
            watch._watch_own_steps(type(self))
            grads = list(grads)
            variables = (
                self._trainable_variables if trainable_variables is None else list(trainable_variables)
            )
            watch._met(self, list(zip(grads, variables, strict=True)))
            watch._first([])
            watch._stepped = {key for key in watch._stepped if key[0] != id(self)}
            return apply(self, grads, trainable_variables)

        base = next(one for one in optimizer.__mro__ if "apply" in vars(one))
        base.apply = tf.autograph.experimental.do_not_convert(watched)
        kinds = {
            kind for one in vars(keras.optimizers).values() if isinstance(one, type) for kind in one.__mro__
        }
        for kind in kinds:
            if issubclass(kind, base) and "update_step" in vars(kind):
                self._watch_step(kind, self._watched_step(vars(kind)["update_step"]))

    def _watch_own_steps(self, kind: type) -> None:
        """Those of classes that Keras does not have."""
        for one in kind.__mro__:
            if one not in self._kinds and "update_step" in vars(one):
                self._watch_step(one, self._watched_own_step(vars(one)["update_step"]))

    def _watch_step(self, kind: type, step: Callable[..., Any]) -> None:
        self._kinds.add(kind)
        setattr(kind, "update_step", tf.autograph.experimental.do_not_convert(step))  # noqa: B010

    def _watched_step(self, update_step: Callable[..., Any]) -> Callable[..., Any]:
        watch = self

        def watched(self: Any, gradient: Any, variable: Any, learning_rate: Any) -> Any:
            place = self._get_variable_index(variable)
            if (id(self), place) in watch._stepped:
                return update_step(self, gradient, variable, learning_rate)
            watch._stepped.add((id(self), place))
            with tf.control_dependencies(watch._first([(gradient, self._trainable_variables[place])])):
                return update_step(self, gradient, variable, learning_rate)

        return watched

    def _watched_own_step(self, update_step: Callable[..., Any]) -> Callable[..., Any]:
        """It may hand on another gradient to a Keras class's; else it applies its own."""
        watch = self

        def watched(self: Any, gradient: Any, variable: Any, learning_rate: Any) -> Any:
            result = update_step(self, gradient, variable, learning_rate)
            place = self._get_variable_index(variable)
            if (id(self), place) not in watch._stepped:
                watch._stepped.add((id(self), place))
                watch._first([(gradient, self._trainable_variables[place])])
            return result

        return watched

    def _called(self, optimizer: Any, pairs: Pairs) -> Sequence[Any]:
        self._met(optimizer, pairs)
        return self._first(pairs)

    def _met(self, optimizer: Any, pairs: Pairs) -> None:
        if not any(optimizer is one for one in self.optimizers):
            self.optimizers.append(optimizer)
        for gradient, variable in pairs:
            if not any(variable is one for one in self.variables):
                self.variables.append(variable)
                if gradient is None:
                    self.without_gradient.append(variable)

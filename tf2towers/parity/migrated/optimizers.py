"""The optimizers that a TF2 program applies, and the variables that they are given."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import tensorflow as tf

from tf2towers.instrumentation.wrapping import wrap

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
        wrap(tf.compat.v1.train.Optimizer, "apply_gradients", self._apply_v1)
        self._watch_keras()

    def _apply_v1(self, apply: Any, optimizer: Any, grads_and_vars: Any, *args: Any, **kwargs: Any) -> Any:
        pairs = list(grads_and_vars)
        self._met(optimizer, pairs)
        with tf.control_dependencies(self._first(pairs)):
            return apply(optimizer, pairs, *args, **kwargs)

    def _watch_keras(self) -> None:
        import keras

        base = next(kind for kind in keras.optimizers.Optimizer.__mro__ if "apply" in vars(kind))
        wrap(base, "apply", self._apply)
        kinds = {
            kind
            for value in vars(keras.optimizers).values()
            if isinstance(value, type)
            for kind in value.__mro__
        }
        self._watch_steps((kind for kind in kinds if issubclass(kind, base)), self._step)

    def _watch_steps(self, kinds: Iterable[type], step: Callable[..., Any]) -> None:
        for kind in kinds:
            if kind not in self._kinds and "update_step" in vars(kind):
                self._kinds.add(kind)
                wrap(kind, "update_step", step)

    def _apply(self, apply: Any, optimizer: Any, grads: Any, trainable_variables: Any = None) -> Any:
        self._watch_steps(type(optimizer).__mro__, self._own_step)  # of classes that Keras does not have
        grads = list(grads)
        variables = (
            optimizer._trainable_variables if trainable_variables is None else list(trainable_variables)
        )
        self._met(optimizer, list(zip(grads, variables, strict=True)))
        self._first([])
        self._stepped = {key for key in self._stepped if key[0] != id(optimizer)}
        return apply(optimizer, grads, trainable_variables)

    def _step(
        self, update_step: Any, optimizer: Any, gradient: Any, variable: Any, learning_rate: Any
    ) -> Any:
        with tf.control_dependencies(self._stepping(optimizer, gradient, variable)):
            return update_step(optimizer, gradient, variable, learning_rate)

    def _own_step(
        self, update_step: Any, optimizer: Any, gradient: Any, variable: Any, learning_rate: Any
    ) -> Any:
        """It may hand on another gradient to a Keras class's; else it applies its own."""
        result = update_step(optimizer, gradient, variable, learning_rate)
        self._stepping(optimizer, gradient, variable)
        return result

    def _stepping(self, optimizer: Any, gradient: Any, variable: Any) -> Sequence[Any]:
        """What has to run before a variable's step; of steps that call one another, the first that asks is told of."""
        place = optimizer._get_variable_index(variable)
        if (id(optimizer), place) in self._stepped:
            return ()
        self._stepped.add((id(optimizer), place))
        return self._first([(gradient, optimizer._trainable_variables[place])])

    def _met(self, optimizer: Any, pairs: Pairs) -> None:
        if not any(optimizer is known for known in self.optimizers):
            self.optimizers.append(optimizer)
        for gradient, variable in pairs:
            if not any(variable is known for known in self.variables):
                self.variables.append(variable)
                if gradient is None:
                    self.without_gradient.append(variable)

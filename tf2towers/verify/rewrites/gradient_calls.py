"""Watches the places where a TF2 program computes gradients and applies them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

from tf2towers.verify.recorder.wrapping import wrap
from tf2towers.verify.rewrites.state import own_name
from tf2towers.verify.rewrites.tracing import Notes, Tracing, tower

# -- the optimizers that a TF2 program calls, and their variables ------------------------------------------------------

Pairs = list[tuple[Any, Any]]  # gradient (or None), variable


class Applied:
    """Watches every optimizer of TF1 (`tf.compat.v1.train.Optimizer`) and of Keras 3 from now on.

    A TF1 optimizer applies the gradients given to `apply_gradients`. A Keras one first sums them over the replicas (and
    clips, and does what a subclass adds). It applies the gradient given to the innermost `update_step`, where one calls
    another.

    Args:
        first: called with (gradient, variable) pairs before they are applied; returns ops that have to run before.
            At the start of each Keras `apply`, it is called with an empty list.

    Attributes:
        optimizers: the optimizers that were called, in order.
        variables: the variables that they were given, in order, each once.
        without_gradient: those of them whose gradient was None.
    """

    def __init__(self, first: Callable[[Pairs], Sequence[Any]]) -> None:
        self._first = first
        self.optimizers: list[Any] = []
        self.variables: list[Any] = []
        self.without_gradient: list[Any] = []
        self._stepped: set[tuple[int, int]] = set()  # Keras calls it for each replica's copy of a variable
        self._watched_classes: set[type] = set()  # those whose `update_step` is watched
        wrap(tf.compat.v1.train.Optimizer, "apply_gradients", self._apply_v1)
        import keras

        base = next(kind for kind in keras.optimizers.Optimizer.__mro__ if "apply" in vars(kind))
        wrap(base, "apply", self._apply)

    def _apply_v1(self, apply: Any, optimizer: Any, grads_and_vars: Any, *args: Any, **kwargs: Any) -> Any:
        pairs = list(grads_and_vars)
        self._note_optimizer(optimizer, pairs)
        with tf.control_dependencies(self._first(pairs)):
            return apply(optimizer, pairs, *args, **kwargs)

    def _apply(self, apply: Any, optimizer: Any, grads: Any, trainable_variables: Any = None) -> Any:
        for kind in type(optimizer).__mro__:
            if kind not in self._watched_classes and "update_step" in vars(kind):
                self._watched_classes.add(kind)
                wrap(kind, "update_step", self._step)
        grads = list(grads)
        variables = (
            optimizer._trainable_variables if trainable_variables is None else list(trainable_variables)
        )
        self._note_optimizer(optimizer, list(zip(grads, variables, strict=True)))
        self._first([])
        self._stepped = {key for key in self._stepped if key[0] != id(optimizer)}
        return apply(optimizer, grads, trainable_variables)

    def _step(
        self, update_step: Any, optimizer: Any, gradient: Any, variable: Any, learning_rate: Any
    ) -> Any:
        """Wraps an `update_step`; where one calls another, notes the gradient of the innermost."""
        result = update_step(optimizer, gradient, variable, learning_rate)
        place = optimizer._get_variable_index(variable)
        if (id(optimizer), place) not in self._stepped:
            self._stepped.add((id(optimizer), place))
            self._first([(gradient, optimizer._trainable_variables[place])])
        return result

    def _note_optimizer(self, optimizer: Any, pairs: Pairs) -> None:
        if not any(optimizer is known for known in self.optimizers):
            self.optimizers.append(optimizer)
        for gradient, variable in pairs:
            if not any(variable is known for known in self.variables):
                self.variables.append(variable)
                if gradient is None:
                    self.without_gradient.append(variable)


# -- computed gradients, and the values stored of them -----------------------------------------------------------------


class Gradients:
    """Stores the losses and gradients of each replica, and the gradients that optimizers apply.

    Attributes:
        not_seen: why updates of the program are not recorded, where some are not.
    """

    def __init__(self, notes: Notes, tracing: Tracing) -> None:
        self._notes, self._tracing = notes, tracing
        self.applied = Applied(self._before_applying)
        self.not_seen = ""
        self._watch_computing()

    # -- applied -----------------------------------------------------------------------------------------------------

    def _before_applying(self, pairs: Pairs) -> Sequence[Any]:
        if tf.executing_eagerly():
            self.not_seen = "it applies gradients outside any tf.function"
        elif self._tracing.in_loop:
            self.not_seen = "it makes its updates in a loop of a tf.function, several a call"
            return []
        self._tracing.applied += 1
        if tf.executing_eagerly() or not self._tracing.outermost or not pairs:
            return []
        return [self._note("gradient|", pairs)]

    def _note(self, prefix: str, pairs: Sequence[tuple[Any, Any]]) -> Any:
        keys, tensors = [], []
        for gradient, variable in pairs:
            if gradient is None:
                continue
            name = own_name(variable)
            if isinstance(gradient, tf.IndexedSlices):
                keys += [f"{prefix}{name}//values", f"{prefix}{name}//indices"]
                tensors += [gradient.values, gradient.indices]
            else:
                keys.append(prefix + name)
                tensors.append(tf.convert_to_tensor(gradient))
        return self._notes.op(keys, tensors)

    # -- computed ----------------------------------------------------------------------------------------------------

    def _watch_computing(self) -> None:
        def tape_gradient(
            compute: Any, tape: Any, target: Any, sources: Any, *args: Any, **kwargs: Any
        ) -> Any:
            found = compute(tape, target, sources, *args, **kwargs)
            if tf.is_tensor(target):
                flat = tf.nest.flatten(sources)
                self._computed(target, list(zip(tf.nest.flatten(found), flat, strict=True)))
            return found

        wrap(tf.GradientTape, "gradient", tape_gradient)

    def _computed(self, loss: Any, pairs: list[tuple[Any, Any]]) -> None:
        if (
            tf.executing_eagerly()
            or not self._tracing.outermost
            or tf.convert_to_tensor(loss).shape.rank != 0
        ):
            return
        index = tower()
        count = self._tracing.computed.get(index, 0)
        self._tracing.computed[index] = count + 1
        place = f"{index or 0}.{count}"  # at the end of the step, `numbered` makes it one number
        self._notes.op([f"loss|{place}"], [tf.convert_to_tensor(loss)])
        named = [
            (gradient, variable)
            for gradient, variable in pairs
            if isinstance(variable, tf.Variable) or hasattr(variable, "assign")
        ]
        self._note(f"tower gradient|{place}|", named)


def numbered(arrays: dict[str, Any]) -> dict[str, Any]:
    """Replaces places in keys by the TF1 recorder's numbers: over all `compute_gradients` calls, tower by tower."""
    prefixes = ("loss|", "tower gradient|")
    places = {tuple(map(int, key.split("|")[1].split("."))) for key in arrays if key.startswith(prefixes)}
    number = {f"{index}.{count}": str(place) for place, (index, count) in enumerate(sorted(places))}
    found = {}
    for key, value in arrays.items():
        if key.startswith(prefixes):
            kind, place, *rest = key.split("|", 2)
            key = "|".join([kind, number[place], *rest])  # noqa: PLW2901
        found[key] = value
    return found

"""The variables of a TF2 program by the original's names."""

from __future__ import annotations

import gc
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from tf2towers.verify.recording import Arrays
from tf2towers.verify.rewrites.variable_pairing import pair


class State:
    """Finds, sets and reads the program's variables.

    They are paired with the original's by `variable_pairing`.

    Attributes:
        renamed: the original's names to the program's, where they differ.
        unpaired: the names of the program's variables without a counterpart.
    """

    def __init__(self) -> None:
        self.renamed: dict[str, str] = {}
        self.unpaired: list[str] = []
        self._named: dict[str, Any] = {}

    def find_variables(
        self,
        original: Mapping[str, np.ndarray],
        trainable: Sequence[str],
        given: Sequence[Any],
        optimizers: Sequence[Any],
    ) -> None:
        """Finds and pairs all variables; called once the training function has been traced.

        Args:
            original: the original's variables, by name.
            trainable: the variables that the original's optimizer was given, in order.
            given: the variables that the program's optimizers were given, in order.
            optimizers: the program's optimizers.
        """
        own = _all_variables(given, optimizers)
        order = [next(name for name, candidate in own.items() if candidate is variable) for variable in given]
        shapes = {name: tuple(variable.shape) for name, variable in own.items()}
        pairs = pair({name: variable.shape for name, variable in original.items()}, trainable, shapes, order)
        self.renamed = {name: other for name, other in pairs.items() if name != other}
        self.unpaired = sorted(set(own) - set(pairs.values()))
        self._named = {name: own[other] for name, other in pairs.items()}

    def set(self, values: Mapping[str, np.ndarray]) -> None:
        """Assigns these values to the variables; names without a variable are ignored."""
        for name, value in values.items():
            variable = self._named.get(name)
            if variable is not None and tuple(variable.shape) == value.shape:
                # Keras variables have the name of a type here
                dtype = np.dtype(getattr(variable.dtype, "as_numpy_dtype", variable.dtype))
                variable.assign(value.astype(dtype))

    def read(self) -> Arrays:
        """The values of the variables by name."""
        return {name: np.array(_value(variable)) for name, variable in self._named.items()}


def _value(variable: Any) -> Any:
    return variable.numpy() if hasattr(variable, "numpy") else tf.convert_to_tensor(variable).numpy()


def own_name(variable: Any) -> str:
    """The name of a variable (also of its value in this replica), as far as it is known during tracing."""
    name = getattr(variable, "path", None) or variable.name
    return str(name).split(":")[0]


def _all_variables(given: Sequence[Any], optimizers: Sequence[Any]) -> dict[str, Any]:
    """All variables by name: those that optimizers were given, the optimizers' own, and all others in memory."""
    found: list[Any] = list(given)
    for optimizer in optimizers:
        own = optimizer.variables
        found += list(own() if callable(own) else own)
    import keras

    parts = {id(part) for value in _alive(tf.distribute.DistributedValues) for part in value.values}
    plain = [variable for variable in _alive(tf.Variable) if id(variable) not in parts]
    inner = {id(_inner(variable)) for variable in found}
    for variable in [*_alive(keras.Variable), *plain]:
        if id(_inner(variable)) not in inner:
            found.append(variable)
            inner.add(id(_inner(variable)))
    named: dict[str, Any] = {}
    for variable in found:
        name, count = own_name(variable), 0
        while (name if not count else f"{name}_{count}") in named:
            count += 1
        named[name if not count else f"{name}_{count}"] = variable
    return named


def _inner(variable: Any) -> Any:
    """The tf.Variable inside a Keras variable; any other object is returned as it is."""
    return getattr(variable, "_value", variable)


def _alive(kind: type) -> list[Any]:
    """All objects of a class that are in memory."""
    found = []
    for candidate in gc.get_objects():
        try:
            if isinstance(candidate, kind):
                found.append(candidate)
        except Exception:  # objects such as lazily loaded modules may raise from isinstance
            continue
    return found

"""Gives the original's batches to the program's training function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from tf2towers.runtime.patches.private import private
from tf2towers.verify.recorder.wrapping import Nesting, wrap
from tf2towers.verify.recording import Arrays
from tf2towers.verify.rewrites.tracing import Tracing

_FEATURE = "verify of a TensorFlow 2 program"
_PerReplica: Any = private("distribute.values.PerReplica", _FEATURE)
_ITERATORS: Any = (
    private("data.ops.iterator_ops.OwnedIterator", _FEATURE),
    private("distribute.input_lib.DistributedIteratorBase", _FEATURE),
)
Part = list[np.ndarray] | None
_Alike = Callable[[np.ndarray, np.ndarray], bool]


class _Source(NamedTuple):
    """The source of an argument, or of a replica's part of one: rows of an input of the original."""

    name: str
    start: int | None = None
    stop: int | None = None

    def of(self, inputs: Arrays) -> np.ndarray:
        value = inputs[self.name]
        return value if self.start is None else value[self.start : self.stop]


class Inputs:
    """Finds, at the first step, the original's input for each argument of the training function, and then gives it.

    Attributes:
        different: the names of the original's inputs for which the program had other values.
        unknown: the shapes of arguments to which no input of the original corresponds, such as '[32, 10] float32'.
    """

    def __init__(self) -> None:
        self._plan: list[list[_Source] | None] | None = None
        self.different: set[str] = set()
        self.unknown: list[str] = []

    def replace_arguments(self, args: Any, kwargs: Any, inputs: Arrays) -> tuple[Any, Any, Arrays]:
        """Returns the arguments with the original's values, and those values by the original's names.

        Args:
            args, kwargs: those of the call: tensors, arrays, numbers, per-replica values, and anything else.
            inputs: the original's inputs in this step by name, in the order of creation in its graph.
        """
        leaves = tf.nest.flatten((args, kwargs))
        parts = [_parts(leaf) for leaf in leaves]
        found, used = self.replace_values(parts, inputs)
        for place, (own, values) in enumerate(zip(parts, found, strict=True)):
            if own is not None and values is not None and values is not own:
                leaves[place] = _like_leaf(leaves[place], own, values)
        args, kwargs = tf.nest.pack_sequence_as((args, kwargs), leaves)
        return args, kwargs, used

    def replace_values(self, parts: list[Part], inputs: Arrays) -> tuple[list[Part], Arrays]:
        """Returns the original's values for the values that a step takes, and the inputs that they come from.

        Args:
            parts: for each value, its arrays in the replicas (one array where all have the same); None if not numeric.
            inputs: as for `replace_arguments`.

        Returns:
            A part is returned unchanged where its values are the original's, or where the original has none for it.
        """
        if self._plan is None or len(self._plan) != len(parts):
            self._plan = _plan(parts, inputs)
            pairs = zip(parts, self._plan, strict=True)
            new = [own[0] for own, found in pairs if own is not None and found is None]
            self.unknown = [f"{list(array.shape)} {array.dtype}" for array in new]
        used: Arrays = {}
        result = list(parts)
        for place, (own, sources) in enumerate(zip(parts, self._plan, strict=True)):
            if own is None or sources is None:
                continue
            values = [_shaped(source.of(inputs), array) for source, array in zip(sources, own, strict=True)]
            for source, array, value in zip(sources, own, values, strict=True):
                used[source.name] = inputs[source.name]
                if not _equal(array, value):
                    self.different.add(source.name)
            if any(not _equal(array, value) for array, value in zip(own, values, strict=True)):
                result[place] = values
        return result, used


def _parts(leaf: Any) -> list[np.ndarray] | None:
    """The arrays of each replica; one array where all have the same; None for a value that is not numeric."""
    if isinstance(leaf, tf.distribute.DistributedValues):
        found = [value for part in leaf.values if (value := _array(part)) is not None]
        return found if len(found) == len(leaf.values) else None
    value = _array(leaf)
    return None if value is None else [value]


def _array(leaf: Any) -> np.ndarray | None:
    if isinstance(leaf, tf.Tensor | np.ndarray | np.generic | int | float) and not isinstance(leaf, bool):
        value = np.asarray(leaf)
        return value if value.dtype.kind in "biufc" else None
    return None


def _plan(parts: list[list[np.ndarray] | None], inputs: Arrays) -> list[list[_Source] | None]:
    """Finds the original's inputs for each part: those with equal values, else the first free ones of its shape.

    A shape may differ by dimensions of one element: a queue has labels as [batch, 1], which the script then reshapes.
    """
    free = dict(inputs)
    plan: list[list[_Source] | None] = [None] * len(parts)
    for alike in (_equal, _alike, _alike_but_for_ones):
        for place, own in enumerate(parts):
            if own is None or plan[place] is not None:
                continue
            found = _whole(own, free, alike) or _one_for_each_replica(own, free, alike)
            if found:
                plan[place] = found
                for name in {part.name for part in found}:
                    free.pop(name, None)
    return plan


def _whole(own: list[np.ndarray], free: Arrays, alike: _Alike) -> list[_Source] | None:
    """One input of the original that is split over the replicas."""
    if len(own) > 1 and any(part.ndim == 0 or part.shape[1:] != own[0].shape[1:] for part in own):
        return None
    whole = own[0] if len(own) == 1 else np.concatenate(own)
    name = next((name for name, value in free.items() if alike(whole, value)), None)
    if name is None or len(own) == 1:
        return None if name is None else [_Source(name)]
    ends = np.cumsum([len(part) for part in own])
    return [_Source(name, int(end - len(part)), int(end)) for part, end in zip(own, ends, strict=True)]


def _one_for_each_replica(own: list[np.ndarray], free: Arrays, alike: _Alike) -> list[_Source] | None:
    """One input of the original for each replica, as when each tower had its own iterator or queue."""
    found: list[_Source] = []
    for array in own:
        taken = {part.name for part in found}
        name = next((name for name in free if name not in taken and alike(array, free[name])), None)
        if name is None or len(own) == 1:
            return None
        found.append(_Source(name))
    return found


def _alike(left: np.ndarray, right: np.ndarray) -> bool:
    return left.shape == right.shape and (left.dtype.kind in "biu") == (right.dtype.kind in "biu")


def _alike_but_for_ones(left: np.ndarray, right: np.ndarray) -> bool:
    return left.ndim > 0 and _alike(np.squeeze(left), np.squeeze(right))


def _shaped(value: np.ndarray, like: np.ndarray) -> np.ndarray:
    """The value, with dimensions of size one as in `like`."""
    if value.ndim == like.ndim:
        return value
    bare = np.squeeze(value)
    if bare.ndim != sum(size != 1 for size in like.shape):
        return value.reshape(like.shape) if value.size == like.size else value
    return np.expand_dims(bare, tuple(axis for axis, size in enumerate(like.shape) if size == 1))


def _equal(left: np.ndarray, right: np.ndarray) -> bool:
    return left.shape == right.shape and bool(
        np.array_equal(left.astype(right.dtype), right, equal_nan=right.dtype.kind in "fc")
    )


def _like_leaf(leaf: Any, own: list[np.ndarray], values: list[np.ndarray]) -> Any:
    cast = [value.astype(array.dtype) for array, value in zip(own, values, strict=True)]
    if isinstance(leaf, tf.distribute.DistributedValues):
        devices = [value.device for value in leaf.values]
        parts = []
        for device, value in zip(devices, cast, strict=True):
            with tf.device(device):
                parts.append(tf.constant(value))
        return _PerReplica(parts)
    return tf.constant(cast[0]) if isinstance(leaf, tf.Tensor) else cast[0]


# -- batches that a training function takes from an iterator: `next(iterator)` inside the `tf.function` ----------------


class Iterated:
    """Replaces the batches that iterators return inside a traced function by the original's.

    Attributes:
        inputs: finds the original's inputs for the batches.
        now: the original's inputs in the current step; None outside training steps.
        used: the inputs that were given in the current step.
    """

    def __init__(self, tracing: Tracing, inputs: Inputs) -> None:
        self.now: Arrays | None = None
        self.used: Arrays = {}
        self._tracing, self.inputs = tracing, inputs
        self._nesting = Nesting()
        for kind in _ITERATORS:
            for name in ("get_next", "__next__"):
                if name in vars(kind):
                    wrap(kind, name, self._get_next)

    def _get_next(self, get: Any, *args: Any, **kwargs: Any) -> Any:
        if tf.executing_eagerly() or not self._tracing.outermost:
            return get(*args, **kwargs)
        with self._nesting.entered() as outermost:  # the methods may call each other
            element = get(*args, **kwargs)
        return self._replace_element(element) if outermost else element

    def _replace_element(self, element: Any) -> Any:
        leaves = tf.nest.flatten(element)
        parts = [list(leaf.values) if isinstance(leaf, _PerReplica) else [leaf] for leaf in leaves]
        flat = [part for replicas in parts for part in replicas]
        if not all(isinstance(part, tf.Tensor) for part in flat):
            return element
        lengths = [len(replicas) for replicas in parts]

        def give(*arrays: Any) -> list[np.ndarray]:
            own = [np.asarray(array) for array in arrays]
            if self.now is None:
                return own
            rest = iter(own)
            grouped: list[Part] = [[next(rest) for _ in range(length)] for length in lengths]
            values, used = self.inputs.replace_values(grouped, self.now)
            self.used.update(used)
            given = [value for replicas in values for value in replicas or []]
            return [value.astype(array.dtype) for array, value in zip(own, given, strict=True)]

        tensors = iter(tf.numpy_function(give, flat, [part.dtype for part in flat]))
        filled = []
        for leaf, replicas in zip(leaves, parts, strict=True):
            new = []
            for part in replicas:
                tensor = next(tensors)
                tensor.set_shape(part.shape)
                new.append(tensor)
            filled.append(_PerReplica(new) if isinstance(leaf, _PerReplica) else new[0])
        return tf.nest.pack_sequence_as(element, filled)

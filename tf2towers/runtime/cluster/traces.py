"""One tf.function of a step: values in as TF1 fed them, and the results' structure kept on the way out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from tf2towers.runtime.cluster import extras
from tf2towers.runtime.tower_values import first_tower


class Trace:
    """A step's body as one function of tensors, traced at once.

    Args:
        body: the step.
        variables: its `VariableStore`.
        specs: a nest of `tf.TensorSpec`, one a parameter.
        update: see `VariableStore.scope`.
        wanted: the extras to compute.
    """

    def __init__(
        self,
        body: Callable[..., Any],
        variables: Any,
        specs: Sequence[Any],
        update: bool,
        wanted: frozenset[str],
    ) -> None:
        self._specs = specs
        self._structure: Any = None
        self._places_of_tensors: list[int] = []

        def replica_step(*values: Any) -> Any:
            with variables.scope(update=update):
                results = body(*values)
                return self._packed((results, extras.compute(wanted)))

        def traced(*tensors: Any) -> Any:
            values = tf.nest.pack_sequence_as(specs, list(tensors))
            return first_tower(variables.strategy.run(replica_step, args=tuple(values)))

        function = tf.function(traced, autograph=False, input_signature=tf.nest.flatten(specs))
        self.function = function.get_concrete_function()
        self._on_workers: dict[int, Callable[..., Any]] = {0: self.function}

    def on_worker(self, worker: int) -> Callable[..., Any]:
        """`function`, computed by that worker, its results brought here; worker 0 is this process."""
        if worker not in self._on_workers:

            def there(*tensors: Any) -> Any:
                with tf.device(f"/job:worker/replica:0/task:{worker}"):
                    results = self.function(*tensors)
                with tf.device("/job:chief/replica:0/task:0/device:CPU:0"):  # all by one answer
                    return tf.nest.map_structure(tf.identity, results)

            signature = self.function.structured_input_signature[0]
            placed = tf.function(there, autograph=False, input_signature=signature)
            self._on_workers[worker] = placed.get_concrete_function()
        return self._on_workers[worker]

    def _packed(self, results: Any) -> tuple[Any, ...]:
        """The tensors among `results`; where they were is noted. What is no tensor stays here; an operation is None."""
        leaves = [_plain(leaf) for leaf in tf.nest.flatten(results)]
        self._places_of_tensors = [place for place, leaf in enumerate(leaves) if _is_tensor(leaf)]
        kept = [None if _is_tensor(leaf) else leaf for leaf in leaves]
        self._structure = tf.nest.pack_sequence_as(results, kept)
        return tuple(leaves[place] for place in self._places_of_tensors) or (tf.zeros([]),)

    def unpacked(self, tensors: Sequence[Any]) -> tuple[Any, dict[str, Any]]:
        """Results and extras, from what `function` has returned."""
        leaves = tf.nest.flatten(self._structure)
        for place, tensor in zip(self._places_of_tensors, tensors, strict=False):
            leaves[place] = tensor
        results, found = tf.nest.pack_sequence_as(self._structure, leaves)
        return results, found


def _is_tensor(leaf: Any) -> bool:
    return tf.is_tensor(leaf) or isinstance(leaf, tf.IndexedSlices | tf.SparseTensor)


def _plain(leaf: Any) -> Any:
    if isinstance(leaf, tf.Variable):
        return leaf.read_value()
    return None if isinstance(leaf, tf.Operation) else leaf


def fed(specs: Sequence[Any] | None, values: Sequence[Any]) -> tuple[list[Any], Sequence[Any]]:
    """The tensors of a call, as `feed_dict` made them, and the specs they are of.

    Args:
        specs: the step's input_signature; None for that of the values.
        values: one a parameter: arrays, numbers, tensors, or nests of them.

    Raises:
        TypeError: another number of values than the step takes.
        ValueError: a value has another shape than its placeholder had.
    """
    if specs is None:
        with tf.device("CPU:0"):
            tensors = [tf.convert_to_tensor(value) for value in tf.nest.flatten(tuple(values))]
        of = [tf.TensorSpec(tensor.shape, tensor.dtype) for tensor in tensors]
        return tensors, tf.nest.pack_sequence_as(tuple(values), of)
    if len(values) != len(specs):
        raise TypeError(f"the step takes {len(specs)} values, and is given {len(values)}")
    pairs = []
    for spec, value in zip(specs, values, strict=True):
        parts = (
            tf.nest.flatten_up_to(spec, value) if hasattr(tf.nest, "flatten_up_to") else _parts(spec, value)
        )
        pairs += list(zip(tf.nest.flatten(spec), parts, strict=True))
    return [_fed(spec, value) for spec, value in pairs], specs


def _parts(spec: Any, value: Any) -> list[Any]:
    return [value] if isinstance(spec, tf.TypeSpec) else tf.nest.flatten(value)


def _fed(spec: Any, value: Any) -> Any:
    if not isinstance(spec, tf.TensorSpec):
        return value
    if not tf.is_tensor(value):
        dtype = spec.dtype.as_numpy_dtype
        with tf.device("CPU:0"):
            value = tf.constant(
                np.asarray(value, dtype=None if spec.dtype == tf.string else dtype), spec.dtype
            )
    if not spec.shape.is_compatible_with(value.shape):
        raise ValueError(
            f"cannot feed a value of shape {value.shape} for {spec.name!r}, which is of shape {spec.shape}"
        )
    return value if value.dtype == spec.dtype else tf.cast(value, spec.dtype)

"""A step of a worker: the tf.function of one kind of session call, run by the cluster.

Asynchronous, the coordinator schedules it on a worker; synchronous, or without a cluster, it runs in this process.
"""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

from tf2towers.runtime.workers import loops
from tf2towers.runtime.variable_store import VariableStore

_v1 = tf.compat.v1
_tracing = threading.RLock()  # variables are made on the way: one thread at a time

#: Functions called at the end of every training step while it is traced: tensors to return beside its results.
watchers: list[Callable[[], dict[str, Any]]] = []
#: Called after every training step with the worker's index, the arguments, the results, and what the watchers returned.
listeners: list[Callable[[int, Sequence[Any], Any, dict[str, Any]], None]] = []


class WorkerStep:
    """A callable that runs `function` as a step of the worker whose loop calls it.

    Args:
        function: takes tensors, returns tensors and Nones in tuples, or None.
        variables: the store in force while it is traced.
        input_signature: `tf.TensorSpec`s of its arguments.
        update: False for an evaluation.
        strategy: the cluster's.
        schedule: runs a tf.function with arguments on a worker and returns its flat results; None runs it here.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        variables: VariableStore,
        input_signature: Sequence[Any] | None,
        update: bool,
        strategy: Any,
        schedule: Callable[[Any, tuple[Any, ...]], Any] | None,
    ) -> None:
        self._function = function
        self._variables = variables
        self._specs = list(input_signature) if input_signature is not None else None
        self._signature = inspect.signature(function)
        self._strategy = strategy
        self._schedule = schedule
        self._structures: dict[bool, Any] = {}
        self._traced: dict[bool, Any] = {}
        self.trains = update
        self.__name__ = function.__name__
        self.__doc__ = function.__doc__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs the step. Arguments as NumPy values or tensors; results as tensors on this host."""
        given = self._signature.bind(*args, **kwargs).args
        loop = loops.current()
        with loops.turn(self.trains):
            with_summaries = self.trains and loop is not None and loop.summaries_due()
            results, extra = self._run(self._converted(given), with_summaries)
            if self.trains:
                for listener in listeners:
                    listener(loops.worker_index(), given, results, extra)
        if loop is not None:
            loop.after_step(extra.get("summaries"))
        return results

    def _converted(self, given: tuple[Any, ...]) -> tuple[Any, ...]:
        if self._specs is None:
            return tuple(
                tf.convert_to_tensor(one) if not isinstance(one, tf.Tensor | tf.SparseTensor) else one for one in given
            )
        return tuple(
            one if isinstance(one, tf.Tensor) and one.dtype == spec.dtype else tf.convert_to_tensor(one, spec.dtype)
            for one, spec in zip(given, self._specs, strict=True)
        )

    def _run(self, given: tuple[Any, ...], with_summaries: bool) -> tuple[Any, dict[str, Any]]:
        traced = self._traced_function(with_summaries)
        if self._schedule is not None:
            with _tracing:
                pending = self._schedule(traced, given)
            flat = [tf.constant(value) for value in tf.nest.flatten(pending.fetch())]
        else:
            with _tracing:
                flat = list(traced(*given))
        structure, names = self._structures[with_summaries]
        count = len(flat) - len(names) - 1  # the last is a filler
        values = iter(flat[:count])
        results = tf.nest.map_structure(lambda here: next(values) if here else None, structure)
        return results, dict(zip(names, flat[count:], strict=False))

    def _traced_function(self, with_summaries: bool) -> Any:
        if with_summaries not in self._traced:
            self._traced[with_summaries] = tf.function(
                lambda *given: self._in_strategy(given, with_summaries),
                autograph=False,
                input_signature=self._specs,
            )
        return self._traced[with_summaries]

    def _in_strategy(self, given: tuple[Any, ...], with_summaries: bool) -> list[Any]:
        def replica(*inputs: Any) -> list[Any]:
            with self._variables.scope(self.trains):
                results = self._function(*inputs)
                extra = {}
                for watcher in watchers if self.trains else []:
                    extra.update(watcher())
                merged = _v1.summary.merge_all() if with_summaries else None
                if merged is not None:
                    extra["summaries"] = merged
            flat = tf.nest.flatten(results)
            here = [value is not None and not isinstance(value, tf.Operation) for value in flat]
            self._structures[with_summaries] = (tf.nest.pack_sequence_as(results, here), list(extra))
            kept = [tf.convert_to_tensor(value) for value, is_here in zip(flat, here, strict=True) if is_here]
            return [*kept, *extra.values(), tf.constant(0)]

        results = self._strategy.run(replica, args=given)
        return [self._strategy.experimental_local_results(one)[0] for one in results]

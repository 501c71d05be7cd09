"""A step of training or of evaluation: what one `sess.run` of a TF1 worker computed."""

from __future__ import annotations

import functools
import inspect
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

from tf2towers.runtime.cluster import extras, lost_requests
from tf2towers.runtime.cluster.threads import Workers, worker_index
from tf2towers.runtime.cluster.traces import Trace, fed
from tf2towers.runtime.variable_store import VariableStore

_AWAY = 2.0  # seconds
_tracing = threading.RLock()  # one function at a time: variables are made on the way
_steps: weakref.WeakKeyDictionary[VariableStore, list[Step]] = weakref.WeakKeyDictionary()


class Step:
    """Calls `body` as one step and gives back what it returns: local tensors, in the structure it had.

    Args:
        body: the replica function: tensors in, tensors out.
        variables: the store its variables are in.
        input_signature: one `tf.TensorSpec` a parameter (the TF1 placeholder); a call may give anything that could be
            fed for it. None: as the values come, traced anew for every new shape.
        update: False for an evaluation.
        coordinator: the `ClusterCoordinator` that finds another worker where one is away; None to compute here.
        workers: whose loops call it.
    """

    def __init__(
        self,
        body: Callable[..., Any],
        variables: VariableStore,
        input_signature: Sequence[Any] | None = None,
        update: bool = True,
        coordinator: Any = None,
        workers: Workers | None = None,
    ) -> None:
        functools.update_wrapper(self, body)
        self.update = update
        self._body = body
        self._variables = variables
        self._specs = None if input_signature is None else tuple(input_signature)
        self._coordinator = coordinator
        self._workers = workers
        self._traces: dict[Any, Trace] = {}
        self._away: dict[int, float] = {}  # until when a worker is not called, for it did not answer
        _steps.setdefault(variables, []).append(self)

    def __call__(self, *values: Any, **named: Any) -> Any:
        """One step.

        Raises:
            tf.errors.OpError: the step failed; with a coordinator a worker's death is no failure, another one does it.
            WorkerStopped: the loop of another worker has failed.
        """
        if named:
            bound = inspect.signature(self._body).bind(*values, **named)
            bound.apply_defaults()
            values = bound.args
        if self._workers is None or not self.update:
            return self._call(values)
        with self._workers.turn():
            return self._call(values)

    def _call(self, values: Sequence[Any]) -> Any:
        if self._workers is not None:
            self._workers.check()
        listeners = extras.listeners()
        wanted = frozenset[str]().union(*(listener.wants(self) for listener in listeners))
        tensors, specs = fed(self._specs, values)
        trace = self._trace(wanted, specs)
        outputs = trace.function(*tensors) if self._coordinator is None else self._on_cluster(trace, tensors)
        results, found = trace.unpacked(outputs)
        for listener in listeners:
            listener.heard(self, results, found)
        return results

    def _on_cluster(self, trace: Trace, tensors: Sequence[Any]) -> Any:
        """A step of this thread's worker, computed by that worker; while that one is away, by any that is there.

        A scheduled step takes twice as long as a call, and every result is fetched by a request of its own.
        """
        worker = worker_index() or 0
        if time.monotonic() >= self._away.get(worker, 0.0):
            try:
                return trace.on_worker(worker)(*tensors)
            except tf.errors.OpError as error:
                # a parameter server may tell of a worker's death, too: the coordinator finds out which has died
                lost = isinstance(error, tf.errors.UnavailableError | tf.errors.AbortedError)
                if not lost and not lost_requests.is_worker_failure(error):
                    raise
                self._away[worker] = time.monotonic() + _AWAY
        return self._fetched(self._coordinator.schedule(trace.function, args=tuple(tensors)))

    def _fetched(self, value: Any) -> Any:
        """What a scheduled step gives back, from the worker that has finished it.

        `RemoteValue.get` may look before the coordinator's own thread does, and raise the error of a worker that died
        with the results. That thread meets the error as well, and gives the step to another worker, or notes it.
        """
        try:
            return value.get()
        except tf.errors.OpError:
            while not value._has_fetched_to_local and value._error is None:
                if self._workers is not None:
                    self._workers.check()
                time.sleep(0.05)
            return value.get()

    def _trace(self, wanted: frozenset[str], specs: Sequence[Any]) -> Trace:
        key = (wanted, None if self._specs is not None else _key(specs))
        with _tracing:
            if key not in self._traces:
                self._traces[key] = Trace(self._body, self._variables, specs, self.update, wanted)
            return self._traces[key]

    def build(self, wanted: frozenset[str]) -> None:
        """Makes the variables of the step, as TF1 made them before the session; without an input_signature, nothing."""
        if self._specs is not None:
            self._trace(wanted, self._specs)


def _key(specs: Any) -> Any:
    return tuple((tuple(spec.shape), spec.dtype) for spec in tf.nest.flatten(specs)), str(
        tf.nest.map_structure(lambda _: 0, specs)
    )


def step(
    variables: VariableStore,
    input_signature: Sequence[Any] | None = None,
    update: bool = True,
    coordinator: Any = None,
    workers: Workers | None = None,
) -> Callable[[Callable[..., Any]], Step]:
    """A decorator that makes a `Step` of a replica function; `ClusterTask.step` is this one with the cluster's own."""

    def decorate(body: Callable[..., Any]) -> Step:
        return Step(body, variables, input_signature, update, coordinator, workers)

    return decorate


def build_steps(variables: VariableStore, wanted: frozenset[str]) -> bool:
    """Makes every variable that the training steps of `variables` use; False where one of them has no signature."""
    training = [made for made in _steps.get(variables, []) if made.update]
    for made in training:
        made.build(wanted)
    return all(made._specs is not None for made in training)

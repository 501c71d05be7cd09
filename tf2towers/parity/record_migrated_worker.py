"""Records a worker of a migrated parameter-server trainer through the runtime's steps."""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

from tf2towers.parity.cluster_draws import SPEC, ClusterDraws
from tf2towers.parity.clusters import INPUTS, LOCKSTEP, ORDER, REPLAY
from tf2towers.parity.migrated.inputs import Inputs
from tf2towers.parity.recording import Recording
from tf2towers.parity.updates import Update, WorkerRecording, load_workers
from tf2towers.runtime import averaging, variable_store
from tf2towers.runtime.cluster.steps import Step
from tf2towers.runtime.cluster.threads import worker_index
from tf2towers.runtime.saver import Saver


class MigratedWorkerRecorder:
    """Lets every training step give back, beside its results, its loss, its gradients and the variables.

    Asynchronous, worker 0's process makes the steps of all workers. Synchronous, every worker's makes the same update,
    and worker 0's is kept.

    Args:
        worker: the index of this worker.
    """

    def __init__(self, worker: int) -> None:
        self._worker = worker
        self._recording = WorkerRecording()
        self._traced: dict[str, Any] = {}
        self._steps = 0
        self.on_step: Callable[[], object] = lambda: None
        replay = os.environ.get(REPLAY)
        self._replay = None if replay is None else Recording.load(Path(replay))
        self._lockstep = os.environ.get(LOCKSTEP, "1") == "1"
        self._given = load_workers(Path(os.environ[INPUTS])) if INPUTS in os.environ else []
        self._inputs = [Inputs() for _ in self._given]
        self._own_steps = [0] * len(self._given)
        steps = [draws for worker in self._given for draws in worker.draws]
        self._draws = ClusterDraws(max(map(len, steps), default=0))
        self._here = threading.local()  # a step is being called in this thread
        self._order = averaging.in_tower_order(os.environ.get(ORDER) == "tower_order")
        self._order.__enter__()  # for the whole run
        self._patch()

    def _patch(self) -> None:
        recorder = self
        begin, call, trace = Step.__init__, Step._call, Step._trace
        gradients, apply = averaging.tower_gradients, averaging.apply_gradients

        def recorded_begin(self: Any, body: Any, variables: Any, *args: Any, **kwargs: Any) -> None:
            begin(self, body, variables, *args, **kwargs)
            if self.update:
                self._body = functools.wraps(body)(lambda *values: recorder._body(body, values))
                if self._specs is not None:
                    self._specs = (*self._specs, *[SPEC] * recorder._draws.count)

        def recorded_trace(self: Any, wanted: Any, specs: Any) -> Any:
            traced = trace(self, wanted, specs)
            if self.update and getattr(recorder._here, "calls", False):  # now there are all variables
                recorder._put_weights(self._variables)
            return traced

        def recorded_call(self: Any, values: Any) -> Any:
            if not self.update:
                return call(self, values)
            recorder._here.calls = True
            try:
                results = call(self, recorder._inputs_given(values))
            finally:
                recorder._here.calls = False
            recorder._note(results["traced"], self._workers is None or self._coordinator is None)
            recorder.on_step()
            return results["results"]

        def recorded_gradients(loss: Any, *args: Any, **kwargs: Any) -> Any:
            recorder._traced["loss"] = tf.convert_to_tensor(loss)
            return gradients(loss, *args, **kwargs)

        def recorded_apply(opt: Any, grads_and_vars: Any, *args: Any, **kwargs: Any) -> Any:
            pairs = list(grads_and_vars)
            store = variable_store.current_store()
            present = [(g, v) for g, v in pairs if g is not None]
            recorder._traced["before"] = {store.name_of(v): tf.identity(v) for _, v in present}
            recorder._traced["gradients"] = {store.name_of(v): tf.convert_to_tensor(g) for g, v in present}
            return apply(opt, pairs, *args, **kwargs)

        Step.__init__, Step._call = recorded_begin, recorded_call  # type: ignore[method-assign]
        Step._trace = recorded_trace  # type: ignore[method-assign]
        averaging.tower_gradients, averaging.apply_gradients = recorded_gradients, recorded_apply

    def _body(self, body: Any, values: Any) -> dict[str, Any]:
        """The step's results and what is recorded of it, as tensors of its function."""
        self._traced = {}
        own = len(values) - self._draws.count
        with self._draws.given(values[own:]):
            results = body(*values[:own])
        store = variable_store.current_store()
        after = {name: tf.identity(v) for name, v in Saver(store)._named().items()}
        return {"results": results, "traced": {**self._traced, "after": after}}

    def _note(self, traced: dict[str, Any], synchronous: bool) -> None:
        noted = tf.nest.map_structure(np.array, traced)
        update = Update(noted["before"], noted["gradients"], noted["after"], noted["loss"])
        if synchronous:
            self._recording.losses.append(noted["loss"])
            update.loss = None
        if not synchronous or self._worker == 0:
            self._recording.updates.append(update)

    def _put_weights(self, store: Any) -> None:
        place, self._steps = self._steps, self._steps + 1
        if self._replay is None or place >= len(self._replay.steps) or (place and not self._lockstep):
            return
        named = Saver(store)._named()
        for name, value in self._replay.steps[place].variables.items():
            if name in named and tuple(named[name].shape) == value.shape:
                named[name].assign(value)

    def _inputs_given(self, values: Any) -> Any:
        """What the same worker of the original had at this step of its own, and the random numbers that it drew."""
        worker = worker_index() if self._given else None
        worker = self._worker if worker is None else worker
        given, draws = tuple(values), list[np.ndarray]()
        if worker < len(self._given):
            place = self._own_steps[worker]
            self._own_steps[worker] += 1
            if place < len(self._given[worker].inputs):
                given, _, _ = self._inputs[worker].given(given, {}, self._given[worker].inputs[place])
            if place < len(self._given[worker].draws):
                draws = self._given[worker].draws[place]
        return (*given, *self._draws.padded(draws))

    @property
    def steps(self) -> int:
        """How many updates are recorded."""
        own = self._recording
        return max(len(own.losses), len(own.updates))

    @property
    def records_all(self) -> bool:
        """Whether the updates of all workers are made in this process."""
        return self._worker == 0 and not self._recording.losses

    def finish(self) -> WorkerRecording:
        """The recording."""
        return self._recording

"""Records a worker of any TF2 program on a cluster, through its `tf.function`s, or the runtime's steps.

Synchronous, each process makes the same update, on a batch of its own. Asynchronous, the process that holds the
`ClusterCoordinator` makes the steps of all workers.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow.python.distribute.coordinator.cluster_coordinator import ClusterCoordinator

from tf2towers.runtime.cluster.steps import Step as RuntimeStep
from tf2towers.verify.cluster.merging import is_synchronous, own_steps, updates
from tf2towers.verify.functions.functions import FunctionRecorder
from tf2towers.verify.recorder.wrapping import wrap
from tf2towers.verify.recorder.writing import Writer
from tf2towers.verify.recording import Arrays, Step, read_facts, read_step, read_steps, write

_OF_UPDATES = ("variable|", "after|", "gradient|")
_OWN = ("loss|", "input|", "summary|")


class FunctionWorkerRecorder(FunctionRecorder):
    """Sees the functions of the process, which is given what this worker of the original had."""

    writer: _StepsOfWorker
    _goes_on = False  # the runtime's steps may be made without us when there are enough

    def __init__(self, worker: int, settings: dict[str, Any]) -> None:
        folder = Path(settings["out"], f"worker-{worker}")
        given, original = None, Path(settings["inputs"]) if settings["inputs"] else None
        if settings["replay"] is not None:
            given = folder / "given"
            steps = _steps_given(worker, Path(settings["replay"]), original)
            write(given, steps, read_facts(Path(settings["replay"])))
        if settings["tower_order"] and (original is None or is_synchronous(original)):
            _add_in_order()
        writer = _StepsOfWorker(folder, worker)
        schedule_here(writer.begin_whole)
        super().__init__(writer, settings["steps"], given, settings["lockstep"], False, {})
        self._watch_steps_of_runtime()

    def _watch_steps_of_runtime(self) -> None:
        """A step of the runtime is a training function like any other. It is traced, once, when it is called."""
        wrap(RuntimeStep, "_call", self._step_called)
        wrap(RuntimeStep, "_trace", self._step_traced)

    def _step_called(self, call: Any, step: Any, values: Any) -> Any:
        if not step.update or self._has_enough:
            return call(step, values)
        if step._workers is not None and step._coordinator is not None:
            self.writer.begin_whole()
            step._coordinator = None  # it is computed here, as with `schedule_here`
        self._goes_on = True
        return self._record(lambda *given: call(step, given), tuple(values), {}, is_traced=False)

    def _step_traced(self, trace: Any, step: Any, wanted: Any, specs: Any) -> Any:
        with self._tracing.training_function(step.update):
            traced = trace(step, wanted, specs)
        if step.update:
            self._begin()
        return traced

    @property
    def records_all(self) -> bool:
        """Whether the updates of all workers are made in this process."""
        return self.writer.whole

    def _end(self) -> None:
        """The cluster is stopped when every worker has its steps; without this one, another's last step would fail."""
        super()._end()
        if not self._goes_on:
            time.sleep(3600)


def _add_in_order() -> None:
    """Dense sums over the replicas are made in their order, as the original's workers hand in their gradients."""
    import tensorflow as tf

    from tf2towers.runtime.tower_values import gather_towers

    def ordered(all_reduce: Any, context: Any, reduce_op: Any, value: Any, options: Any = None) -> Any:
        leaves = tf.nest.flatten(value)
        is_sum = reduce_op in (tf.distribute.ReduceOp.SUM, "SUM", "sum")
        if not is_sum or any(isinstance(leaf, tf.IndexedSlices) for leaf in leaves):
            return all_reduce(context, reduce_op, value, options)
        towers = gather_towers(tuple(map(tf.convert_to_tensor, leaves)))
        sums = [functools.reduce(tf.add, parts) for parts in zip(*towers, strict=True)]
        return tf.nest.pack_sequence_as(value, sums)

    wrap(tf.distribute.ReplicaContext, "all_reduce", ordered)


class _StepsOfWorker(Writer):
    """Writes what is this worker's own of a step, and the update too, where it is made in this process.

    Attributes:
        whole: the updates of all workers are made in this process; else they are made together, and worker 0 tells.
    """

    def __init__(self, folder: Path, worker: int) -> None:
        super().__init__(str(folder))
        self._worker = worker
        self.whole = False

    def begin_whole(self) -> None:
        """From now on each step is an update of its own."""
        self.whole = True

    def step(self, arrays: Arrays) -> None:
        """Writes the next step."""
        makes_update = self.whole or self._worker == 0
        kinds = (*_OWN, *_OF_UPDATES) if makes_update else _OWN
        kept = {key: value for key, value in arrays.items() if key.startswith(kinds)}
        if makes_update:
            kept["when|"] = np.float64(time.monotonic())
        if not self.whole:
            kept["together|"] = np.array(True)
        super().step(kept)


def _steps_given(worker: int, replay: Path, original: Path | None) -> Iterator[Step]:
    """The original's steps as this process has to make them: the update's variables, the batches and draws for it."""
    if original is None or is_synchronous(original):
        own = own_steps(original)[worker] if original is not None else []
        alone: list[list[np.ndarray]] = [[]] * worker  # draws go by the number of the replica
    else:
        own, alone = updates(original), list[list[np.ndarray]]()
    for step, path in itertools.zip_longest(read_steps(replay), own):
        if step is None:
            return
        mine = read_step(path) if path is not None else Step()
        yield dataclasses.replace(step, inputs=mine.inputs, draws=alone + mine.draws)


# -- steps that a program schedules with a `ClusterCoordinator`, made in the coordinator's own process, one at a time --
# TensorFlow allows that ("possibly executed on the coordinator, which can be slow",
# `ParameterServerStrategyV2Extended`): the variables are on the parameter servers as before. A Python function cannot
# run in the process of a worker, so only here can a step be given the original's batch, and tell what it computes.


class ReadyValue:
    """A `RemoteValue` that is here already."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def get(self) -> Any:
        """The tensors."""
        return self._value

    def fetch(self) -> Any:
        """The tensors' values."""
        return tf.nest.map_structure(
            lambda tensor: tensor.numpy() if hasattr(tensor, "numpy") else tensor, self._value
        )


def schedule_here(before_step: Callable[[], object]) -> None:
    """Lets every coordinator of the process, from now on, make each step when it is scheduled."""

    def schedule(self: Any, fn: Any, args: Sequence[Any] | None = None, kwargs: Any = None) -> ReadyValue:
        before_step()
        with self.strategy.scope():
            self.strategy.extended._being_scheduled = True
            try:
                return ReadyValue(fn(*(args or ()), **(kwargs or {})))
            finally:
                self.strategy.extended._being_scheduled = False

    def create_per_worker_dataset(self: Any, dataset_fn: Any) -> Any:
        return dataset_fn() if callable(dataset_fn) else dataset_fn

    def create_per_worker(self: Any, fn: Any, args: Sequence[Any] | None = None, kwargs: Any = None) -> Any:
        return fn(*(args or ()), **(kwargs or {}))

    def fetch(self: Any, val: Any) -> Any:
        return tf.nest.map_structure(lambda part: part.fetch() if isinstance(part, ReadyValue) else part, val)

    replaced: dict[str, Callable[..., Any]] = {
        "schedule": schedule,
        "create_per_worker_dataset": create_per_worker_dataset,
        "_create_per_worker_resources": create_per_worker,
        "_create_per_worker_variables": create_per_worker,
        "join": lambda self: None,
        "done": lambda self: True,
        "fetch": fetch,
    }
    for name, function in replaced.items():
        setattr(ClusterCoordinator, name, function)

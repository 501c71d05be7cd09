"""Records a worker of a migrated parameter-server trainer through the runtime's steps."""

from __future__ import annotations

import contextlib
import functools
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow.python.ops import gen_random_ops

from tf2towers.instrumentation.wrapping import NestingOfThread, wrap
from tf2towers.parity.cluster.merging import OWN, UPDATES, own_steps
from tf2towers.parity.migrated.draws import DRAWING
from tf2towers.parity.migrated.functions import results_of
from tf2towers.parity.migrated.inputs import Inputs
from tf2towers.parity.recording import Arrays, Recording, added_up, read_step
from tf2towers.recorder.writing import Writer
from tf2towers.runtime import averaging, variable_store
from tf2towers.runtime.cluster.steps import Step
from tf2towers.runtime.cluster.threads import worker_index
from tf2towers.runtime.saver import Saver

# -- random numbers in a cluster: a worker's step draws what the same worker of the original drew at this step ---------

#: Numbers go to a worker as arguments of the step's function; this type holds all of them exactly, indices too.
SPEC = tf.TensorSpec(None, tf.float64)


class ClusterDraws:
    """Puts given numbers in the place of those that a step draws, in the order of its code.

    Args:
        count: how many a step is given; those after them are its own, as in loops and branches.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self._given: Sequence[Any] = ()
        self._place = 0
        self._graph: Any = None
        for name in DRAWING if count else ():
            wrap(gen_random_ops, name, self._drawn)

    def padded(self, draws: Sequence[np.ndarray]) -> list[np.ndarray]:
        """So many arrays; empty ones, which are not used, after the last."""
        found = [np.asarray(draw, np.float64) for draw in draws[: self.count]]
        return found + [np.zeros([0])] * (self.count - len(found))

    @contextlib.contextmanager
    def given(self, tensors: Sequence[Any]) -> Iterator[None]:
        """What is drawn in the function being traced is taken from `tensors`."""
        self._given, self._place, self._graph = tensors, 0, tf.compat.v1.get_default_graph()
        try:
            yield
        finally:
            self._given, self._graph = (), None

    def _drawn(self, draw: Any, *args: Any, **kwargs: Any) -> Any:
        own = draw(*args, **kwargs)
        if tf.compat.v1.get_default_graph() is not self._graph or self._place >= len(self._given):
            return own
        value = self._given[self._place]
        self._place += 1
        chosen = tf.cond(
            tf.equal(tf.size(value), tf.size(own)),
            lambda: tf.cast(tf.reshape(value, tf.shape(own)), own.dtype),
            lambda: own,
        )
        chosen.set_shape(own.shape)
        return chosen


# -- the steps ---------------------------------------------------------------------------------------------------------


class MigratedWorkerRecorder:
    """Lets every training step give back, beside its results, its loss, its gradients and the variables.

    Asynchronous, worker 0's process makes the steps of all workers. Synchronous, every worker's makes the same update,
    and worker 0's is kept.
    """

    def __init__(self, worker: int, settings: dict[str, Any]) -> None:
        self._worker = worker
        folder = Path(settings["out"], f"worker-{worker}")
        self.writer = self._own = Writer(str(folder / OWN))
        self._updates = Writer(str(folder / UPDATES))
        self._traced: dict[str, Any] = {}
        self._variables_before: Arrays = {}
        self._steps = 0
        self._wanted = settings["steps"]
        self.on_enough: Callable[[], object] = lambda: None
        replay = settings["replay"]
        self._replay = None if replay is None else Recording.load(Path(replay))
        self._lockstep = settings["lockstep"]
        given = own_steps(Path(settings["inputs"])) if settings["inputs"] else []
        self._given = [[read_step(path) for path in worker] for worker in given]
        self._inputs = [Inputs() for _ in self._given]
        self._own_steps = [0] * len(self._given)
        steps = [draws for worker in self._given for step in worker for draws in step.draws]
        self._draws = ClusterDraws(max(map(len, steps), default=0))
        self._step_calls = NestingOfThread()  # a step is being called in this thread
        self._order = averaging.in_tower_order(settings["tower_order"])
        self._order.__enter__()  # for the whole run
        self._patch()

    def _patch(self) -> None:
        def begin(make: Any, step: Any, body: Any, variables: Any, *args: Any, **kwargs: Any) -> None:
            make(step, body, variables, *args, **kwargs)
            if step.update:
                step._body = functools.wraps(body)(lambda *values: self._body(body, values))
                if step._specs is not None:
                    step._specs = (*step._specs, *[SPEC] * self._draws.count)

        def trace(original: Any, step: Any, wanted: Any, specs: Any) -> Any:
            traced = original(step, wanted, specs)
            if step.update and self._step_calls.inside:  # now there are all variables
                self._put_weights(step._variables)
            return traced

        def call(original: Any, step: Any, values: Any) -> Any:
            if not step.update:
                return original(step, values)
            with self._step_calls.entered():
                results = original(step, self._inputs_given(values))
            synchronous = step._workers is None or step._coordinator is None
            self._note(results["traced"], results_of(results["results"]), synchronous)
            if max(self._own.steps, self._updates.steps) >= self._wanted:
                self.on_enough()
            return results["results"]

        def tower_gradients(original: Any, loss: Any, *args: Any, **kwargs: Any) -> Any:
            self._traced["loss"] = tf.convert_to_tensor(loss)
            return original(loss, *args, **kwargs)

        def apply_gradients(apply: Any, opt: Any, grads_and_vars: Any, *args: Any, **kwargs: Any) -> Any:
            pairs = list(grads_and_vars)
            store = variable_store.current_store()
            present = [(gradient, variable) for gradient, variable in pairs if gradient is not None]
            self._traced["before"] = {
                store.name_of(variable): tf.identity(variable) for _, variable in present
            }
            self._traced["gradients"] = {
                store.name_of(variable): _parts(gradient) for gradient, variable in present
            }
            return apply(opt, pairs, *args, **kwargs)

        for owner, name, around in (
            (Step, "__init__", begin), (Step, "_trace", trace), (Step, "_call", call),
            (averaging, "tower_gradients", tower_gradients), (averaging, "apply_gradients", apply_gradients),
        ):  # fmt: skip
            wrap(owner, name, around)

    def _body(self, body: Any, values: Any) -> dict[str, Any]:
        """The step's results and what is recorded of it, as tensors of its function."""
        self._traced = {}
        own = len(values) - self._draws.count
        with self._draws.given(values[own:]):
            results = body(*values[:own])
        store = variable_store.current_store()
        after = {name: tf.identity(variable) for name, variable in Saver(store)._named().items()}
        return {"results": results, "traced": {**self._traced, "after": after}}

    def _note(self, traced: dict[str, Any], results: Arrays, synchronous: bool) -> None:
        noted = tf.nest.map_structure(np.array, traced)
        update = {
            f"variable|{name}": value for name, value in (self._variables_before | noted["before"]).items()
        }
        update |= {f"after|{name}": value for name, value in noted["after"].items()}
        for name, parts in noted["gradients"].items():
            update |= _gradient(name, parts, noted["before"][name].shape, dense=synchronous)
        update["when|"] = np.float64(time.monotonic())
        own = {"loss|0": noted["loss"]}
        own |= {name: value for name, value in results.items() if name.startswith("summary|")}
        if synchronous:
            self._own.step(own)
        else:
            update |= own
        if not synchronous or self._worker == 0:
            self._updates.step(update)

    def _put_weights(self, store: Any) -> None:
        """Gives the variables what those of the original's step had, and notes what they have."""
        place, self._steps = self._steps, self._steps + 1
        named = Saver(store)._named()
        replays = (
            self._replay is not None and place < len(self._replay.steps) and (self._lockstep or not place)
        )
        if self._replay is not None and replays:
            for name, value in self._replay.steps[place].variables.items():
                if name in named and tuple(named[name].shape) == value.shape:
                    named[name].assign(value)
        self._variables_before = {
            name: np.array(tf.convert_to_tensor(variable)) for name, variable in named.items()
        }

    def _inputs_given(self, values: Any) -> Any:
        """What the same worker of the original had at this step of its own, and the random numbers that it drew."""
        worker = worker_index() if self._given else None
        worker = self._worker if worker is None else worker
        given, draws = tuple(values), list[np.ndarray]()
        if worker < len(self._given):
            place = self._own_steps[worker]
            self._own_steps[worker] += 1
            if place < len(self._given[worker]):
                step = self._given[worker][place]
                given, _, _ = self._inputs[worker].given(given, {}, step.inputs)
                draws = step.draws[0] if step.draws else []
        return (*given, *self._draws.padded(draws))

    @property
    def records_all(self) -> bool:
        """Whether the updates of all workers are made in this process."""
        return self._worker == 0 and not self._own.steps

    def facts(self) -> dict[str, Any]:
        """What meta.json says of the run."""
        return {"side": "migrated"}


def _parts(gradient: Any) -> list[Any]:
    """A gradient, or the values and the rows of one that is sparse."""
    if isinstance(gradient, tf.IndexedSlices):
        return [gradient.values, gradient.indices]
    return [tf.convert_to_tensor(gradient)]


def _gradient(name: str, parts: list[np.ndarray], shape: tuple[int, ...], dense: bool) -> Arrays:
    """As it is recorded; of synchronous workers always dense, as their mean is (docs/semantics.md)."""
    if len(parts) == 1:
        return {f"gradient|{name}": parts[0]}
    values, rows = parts
    if not dense:
        return {f"gradient|{name}//values": values, f"gradient|{name}//indices": rows}
    whole = added_up(values, rows, shape, values.dtype)
    assert whole is not None
    return {f"gradient|{name}": whole}

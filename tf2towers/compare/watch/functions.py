"""TF2: which calls of a `tf.function` train, and what their losses are.

Each call of a function that trains is a step, where eager code makes it. A concrete function that trains is known by
its graph. A program that trains eagerly is not seen to train.
"""

import threading
import weakref
from typing import Any, Optional

from tf2towers.compare.watch.replica_losses import ReplicaLosses
from tf2towers.compare.watch.steps import Steps, clock
from tf2towers.verify.recorder.function_calls import FunctionCalls
from tf2towers.verify.recorder.optimizer_calls import OptimizerCalls
from tf2towers.verify.recorder.wrapping import NestingOfThread, wrap

_LEARNING = 4  # calls in which the optimizer's own count of steps is read


class _Trained:
    """What is known of a function that trains."""

    calls = 0
    iterations = None  # type: Optional[int]
    steps_a_call = 1


class FunctionWatch:
    """Looks at every call of a function, and at every optimizer."""

    def __init__(self, tf: Any, steps: Steps) -> None:
        self._tf = tf
        self._steps = steps
        self._began = False
        self._one_at_a_time = threading.Lock()
        self._applied = 0
        self._optimizer = None  # type: Any
        self._training = weakref.WeakKeyDictionary()  # type: Any
        self.calls = FunctionCalls(tf, lambda: self._applied, NestingOfThread())
        self._together = None  # type: Optional[int]
        self.losses = ReplicaLosses(tf)

    def applied(self, optimizer: Any, _: Any) -> None:
        """An optimizer was called, in a trace."""
        outside = getattr(
            self._tf.compat.v1, "executing_eagerly_outside_functions", self._tf.executing_eagerly
        )
        if not outside():
            return
        self._applied += 1
        self._optimizer = optimizer
        note_training(self._tf.compat.v1.get_default_graph())
        if self._steps.in_cluster:
            self._together = workers_together(self._tf)

    def begins(self) -> None:
        """A function that trains has been traced, and will be called: is it the training's first step?"""
        with self._one_at_a_time:
            if not self._began:
                self._began = True
                iterations = getattr(self._optimizer, "iterations", 0)
                self._steps.begins_after(int(getattr(iterations, "numpy", lambda: iterations)()))

    def called(self, call: Any, function: Any, args: Any, kwargs: Any) -> Any:
        """A call of a function."""
        begin, applied = clock(), self._applied
        trains = function in self._training or self.calls.trains(function, args, kwargs)
        if trains:
            self._steps.harmless(self.begins)
        result = call(function, *args, **kwargs)
        if trains or self._applied != applied:  # traced again for other arguments
            self._steps.harmless(self._after, function, begin, result)
        return result

    def trains(self, function: Any) -> bool:
        """Whether a concrete function trains; one that is built around it (a step sent to a worker) trains, too."""
        found = trains(function)
        if found and not self._tf.executing_eagerly():
            note_training(self._tf.compat.v1.get_default_graph())
        return found

    def called_concrete(self, call: Any, function: Any, args: Any, kwargs: Any) -> Any:
        """A call of a concrete function that trains."""
        begin = clock()
        self._steps.harmless(self.begins)
        result = call(function, *args, **kwargs)
        self._steps.harmless(self._after, function, begin, result)
        return result

    def _after(self, function: Any, begin: float, result: Any) -> None:
        end = clock()
        trained = self._training.setdefault(function, _Trained())
        loss = self.losses.taken(self._scalar(result))
        self._steps.towers(max(1, self.losses.count))
        self._steps.step(begin, end, loss, self._steps_of(trained), together=self._together)

    def _steps_of(self, trained: _Trained) -> int:
        """More than one where a call loops (Keras's steps_per_execution): the optimizer's count says so."""
        iterations = getattr(self._optimizer, "iterations", None)
        if iterations is not None and trained.calls < _LEARNING:
            iterations_before, trained.iterations = trained.iterations, int(iterations.numpy())
            if iterations_before is not None:
                trained.steps_a_call = max(1, trained.iterations - iterations_before)
        trained.calls += 1
        return trained.steps_a_call

    def _scalar(self, result: Any) -> Any:
        """The one scalar of a floating type in what a function returned; None where there are none or more."""
        found = [
            leaf
            for leaf in self._tf.nest.flatten(result)
            if self._tf.is_tensor(leaf)
            and hasattr(leaf, "numpy")
            and leaf.shape.rank == 0
            and leaf.dtype.is_floating
        ]
        return found[0] if len(found) == 1 else None


def watch_functions(tf: Any, optimizers: OptimizerCalls, steps: Steps) -> None:
    """Looks at every `tf.function` and every `tf.GradientTape` from now on."""
    watch = FunctionWatch(tf, steps)
    optimizers.listen(lambda *call: steps.harmless(watch.applied, *call))
    watch.calls.around(watch.called)
    steps.harmless(watch.calls.around_concrete, watch.trains, watch.called_concrete)
    watch_coordinator(watch, steps)

    def tape_gradient(gradient: Any, tape: Any, target: Any, *args: Any, **kwargs: Any) -> Any:
        steps.harmless(watch.losses.note, target, True)
        return gradient(tape, target, *args, **kwargs)

    def tf_gradients(gradients: Any, ys: Any, *args: Any, **kwargs: Any) -> Any:
        steps.harmless(watch.losses.note, ys, False)
        return gradients(ys, *args, **kwargs)

    wrap(tf.GradientTape, "gradient", tape_gradient)
    wrap(tf, "gradients", tf_gradients)


# -- TF2 clusters: steps that a coordinator hands out to workers, and steps that all workers take together -------------
# With parameter servers worker 0's process has a thread a worker, in which a `Closure`, a function with its arguments,
# is run on that worker. When it is over, the step is. With `MultiWorkerMirroredStrategy` every worker calls the
# function.

_MARK = "_tf2towers_trains"


def note_training(graph: Any) -> None:
    """An optimizer was called while this graph was the one that is built; so the ones around it train, too."""
    while hasattr(graph, "outer_graph"):
        setattr(graph, _MARK, True)
        graph = graph.outer_graph


def trains(function: Any) -> bool:
    """Whether an optimizer was called while this concrete function was traced."""
    return getattr(getattr(function, "graph", None), _MARK, False)


def workers_together(tf: Any) -> Optional[int]:
    """How many workers make each update, under the strategy in force; None where each makes its own."""
    strategy = tf.distribute.get_strategy()
    class_names = [kind.__name__ for kind in type(strategy).__mro__]  # it has had several public names
    return int(strategy.extended._num_workers) if "CollectiveAllReduceStrategy" in class_names else None


def watch_coordinator(watch: FunctionWatch, steps: Steps) -> None:
    """Looks at what a `ClusterCoordinator` runs, from now on. Without effect in a TensorFlow without coordinators."""
    try:
        from tensorflow.python.distribute.coordinator.cluster_coordinator import Closure
    except ImportError:
        return

    def watched(execute_on: Any, closure: Any, worker: Any) -> None:
        if not trains(getattr(closure, "_concrete_function", None)):
            execute_on(closure, worker)
            return
        steps.harmless(watch.begins)
        begin = clock()
        with watch.calls.nesting.entered():
            execute_on(closure, worker)
        steps.step(begin, clock(), watch.losses.taken(None), at_once=True)

    wrap(Closure, "execute_on", watched)

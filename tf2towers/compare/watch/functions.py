"""TF2: finds the calls of a `tf.function` that train, and their losses.

Each call, from eager code, of a function that trains is a step. A concrete function that trains is
recognized by a mark on its graph. The training of a program that applies gradients eagerly is not
seen.
"""

import threading
import weakref
from typing import Any, Optional

from tf2towers.compare.watch.optimizer_calls import OptimizerCalls
from tf2towers.compare.watch.replica_losses import ReplicaLosses
from tf2towers.compare.watch.steps import Steps, clock
from tf2towers.verify.recorder.function_calls import FunctionCalls
from tf2towers.verify.recorder.wrapping import NestingOfThread, wrap

_LEARNING = 4  # calls in which the optimizer's own counter of steps is read


class _Trained:
    """The facts known about a function that trains."""

    calls = 0
    iterations = None  # type: Optional[int]
    steps_a_call = 1


class FunctionWatch:
    """Watches every call of a function, and every optimizer."""

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
        """Notes that an optimizer was called while a function was traced."""
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
        """Reports the steps of an earlier run before the first call of a function that trains."""
        with self._one_at_a_time:
            if not self._began:
                self._began = True
                iterations = getattr(self._optimizer, "iterations", 0)
                self._steps.note_resumed(int(getattr(iterations, "numpy", lambda: iterations)()))

    def called(self, call: Any, function: Any, args: Any, kwargs: Any) -> Any:
        """Wraps a call of a function: reports a step where the call trains."""
        begin, applied = clock(), self._applied
        trains = function in self._training or self.calls.trains(function, args, kwargs)
        if trains:
            self._steps.try_call(self.begins)
        result = call(function, *args, **kwargs)
        if trains or self._applied != applied:  # traced again, for other arguments
            self._steps.try_call(self._after, function, begin, result)
        return result

    def trains(self, function: Any) -> bool:
        """True if a concrete function trains; so does a function built around it."""
        found = trains(function)
        if found and not self._tf.executing_eagerly():
            note_training(self._tf.compat.v1.get_default_graph())
        return found

    def called_concrete(self, call: Any, function: Any, args: Any, kwargs: Any) -> Any:
        """Wraps a call of a concrete function that trains, and reports a step."""
        begin = clock()
        self._steps.try_call(self.begins)
        result = call(function, *args, **kwargs)
        self._steps.try_call(self._after, function, begin, result)
        return result

    def _after(self, function: Any, begin: float, result: Any) -> None:
        end = clock()
        trained = self._training.setdefault(function, _Trained())
        loss = self.losses.loss_reader(self._scalar(result))
        self._steps.towers(max(1, self.losses.count))
        self._steps.step(begin, end, loss, self._steps_of(trained), together=self._together)

    def _steps_of(self, trained: _Trained) -> int:
        """The steps of one call, by the optimizer's counter: more with steps_per_execution."""
        iterations = getattr(self._optimizer, "iterations", None)
        if iterations is not None and trained.calls < _LEARNING:
            iterations_before, trained.iterations = trained.iterations, int(iterations.numpy())
            if iterations_before is not None:
                trained.steps_a_call = max(1, trained.iterations - iterations_before)
        trained.calls += 1
        return trained.steps_a_call

    def _scalar(self, result: Any) -> Any:
        """The only floating-point scalar that a function returned; None for none or several."""
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
    """From now on, watches each `tf.function` call and each loss given to a gradient."""
    watch = FunctionWatch(tf, steps)
    optimizers.listen(lambda *call: steps.try_call(watch.applied, *call))
    watch.calls.around(watch.called)
    steps.try_call(watch.calls.around_concrete, watch.trains, watch.called_concrete)
    watch_coordinator(watch, steps)

    def tape_gradient(gradient: Any, tape: Any, target: Any, *args: Any, **kwargs: Any) -> Any:
        steps.try_call(watch.losses.note, target, True)
        return gradient(tape, target, *args, **kwargs)

    def tf_gradients(gradients: Any, ys: Any, *args: Any, **kwargs: Any) -> Any:
        steps.try_call(watch.losses.note, ys, False)
        return gradients(ys, *args, **kwargs)

    wrap(tf.GradientTape, "gradient", tape_gradient)
    wrap(tf, "gradients", tf_gradients)


# -- TF2 clusters: steps that a coordinator sends, and steps that all workers make together
#
# With parameter servers, worker 0's process has a thread for each worker, which runs a `Closure`, a
# function with its arguments, on that worker. When `Closure.execute_on` returns, the step is over.
# With `MultiWorkerMirroredStrategy`, every worker calls the function.

_MARK = "_tf2towers_trains"


def note_training(graph: Any) -> None:
    """Marks this graph and those around it: an optimizer was called in it, so they train."""
    while hasattr(graph, "outer_graph"):
        setattr(graph, _MARK, True)
        graph = graph.outer_graph


def trains(function: Any) -> bool:
    """True if an optimizer was called while this concrete function was traced."""
    return getattr(getattr(function, "graph", None), _MARK, False)


def workers_together(tf: Any) -> Optional[int]:
    """The number of workers that make each update together; None: each makes its own."""
    strategy = tf.distribute.get_strategy()
    class_names = [kind.__name__ for kind in type(strategy).__mro__]  # its public name has changed
    return int(strategy.extended._num_workers) if "CollectiveAllReduceStrategy" in class_names else None


def watch_coordinator(watch: FunctionWatch, steps: Steps) -> None:
    """Watches the closures that a `ClusterCoordinator` runs, where TensorFlow has those."""
    try:
        from tensorflow.python.distribute.coordinator.cluster_coordinator import Closure
    except ImportError:
        return

    def watched(execute_on: Any, closure: Any, worker: Any) -> None:
        if not trains(getattr(closure, "_concrete_function", None)):
            execute_on(closure, worker)
            return
        steps.try_call(watch.begins)
        begin = clock()
        with watch.calls.nesting.entered():
            execute_on(closure, worker)
        steps.step(begin, clock(), watch.losses.loss_reader(None), at_once=True)

    wrap(Closure, "execute_on", watched)

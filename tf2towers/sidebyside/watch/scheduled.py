"""TF2 clusters: steps that a coordinator hands out to workers, and steps that all workers take together.

With parameter servers worker 0's process has a thread a worker, in which a `Closure`, a function with its arguments, is
run on that worker: when it is over, the step is. With `MultiWorkerMirroredStrategy` every worker calls the function.
"""

import threading
from typing import Any, Callable, ContextManager, Optional

from tf2towers.instrumentation.wrapping import wrap
from tf2towers.sidebyside.watch.beginning import Beginning
from tf2towers.sidebyside.watch.replica_losses import ReplicaLosses
from tf2towers.sidebyside.watch.steps import Steps, clock

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
    kinds = [kind.__name__ for kind in type(strategy).__mro__]  # it has had several public names
    return int(strategy.extended._num_workers) if "CollectiveAllReduceStrategy" in kinds else None


class ScheduledSteps:
    """Looks at what a `ClusterCoordinator` runs."""

    def __init__(
        self,
        losses: ReplicaLosses,
        rows: Callable[[Any], Optional[int]],
        passed_over: Callable[[], ContextManager[Any]],
        steps: Steps,
        beginning: Beginning,
    ) -> None:
        self._losses, self._rows, self._passed_over = losses, rows, passed_over
        self._steps, self._beginning = steps, beginning
        self._first = threading.Lock()

    def watch(self, tf: Any) -> None:
        """From now on. A TensorFlow without coordinators has nothing to look at."""
        try:
            from tensorflow.python.distribute.coordinator.cluster_coordinator import Closure
        except ImportError:
            return

        def watched(execute_on: Any, closure: Any, worker: Any) -> None:
            function = getattr(closure, "_concrete_function", None)
            if not trains(function):
                execute_on(closure, worker)
                return
            with self._first:  # the other workers' first steps wait until the weights are there
                self._steps.harmless(self._beginning.training_function)
            begin = clock()
            with self._passed_over():
                execute_on(closure, worker)
            self._steps.harmless(self._after, closure, begin)

        wrap(Closure, "execute_on", watched)

    def _after(self, closure: Any, begin: float) -> None:
        end = clock()
        rows = self._steps.harmless(self._rows, [closure._args, closure._kwargs])
        if rows is None:
            rows = self._steps.harmless(self._rows, closure._concrete_function.structured_input_signature)
        self._steps.step(begin, end, self._losses.taken(None), rows, at_once=True)

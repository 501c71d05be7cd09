"""TF1: which calls of `Session.run` train, and what their losses are.

A call trains when what it fetches depends on what an optimizer's `apply_gradients` or `minimize` returned. The losses
are what `compute_gradients` (or `tf.gradients`) was given, one a tower, where the call needs the gradients that came
of it; they are fetched in the same call, if that runs nothing that the step does not run by itself.
"""

from typing import Any, Callable, Iterable, Iterator, List, NamedTuple, Optional, Set

from tf2towers.compare.watch.steps import Steps, clock
from tf2towers.verify.recorder import graph as recorder_graph
from tf2towers.verify.recorder.fetches import leaves
from tf2towers.verify.recorder.gradients import watch_gradients
from tf2towers.verify.recorder.optimizer_calls import OptimizerCalls
from tf2towers.verify.recorder.session_runs import around_runs


class _Plan(NamedTuple):
    """Of a set of fetches that trains: what is fetched beside it, and of how many workers the update is."""

    losses: List[Any]
    together: Optional[int]


class _GraphFacts:
    """What is known of a graph. It hangs on the graph, and goes with it."""

    def __init__(self) -> None:
        self.train_ops = set()  # type: set[Any]
        self.together = {}  # type: dict[Any, int]
        self.by_optimizer = []  # type: list[tuple[Any, set[Any]]]
        self.by_hand = []  # type: list[tuple[Any, set[Any]]]
        self.plans = {}  # type: dict[Any, Optional[_Plan]]

    @classmethod
    def of(cls, graph: Any) -> "_GraphFacts":
        """The facts of a graph; empty ones at the first question."""
        seen = getattr(graph, "_tf2towers_seen", None)
        if not isinstance(seen, cls):
            seen = cls()
            graph._tf2towers_seen = seen
        return seen


class SessionWatch:
    """Notes what optimizers make, and looks at each call of a session."""

    def __init__(self, steps: Steps) -> None:
        self._steps = steps
        self._began = False

    def applied(self, optimizer: Any, returned: Any) -> None:
        """Notes the operation that an optimizer's `apply_gradients` returned."""
        op = operation(returned)
        if not hasattr(op, "control_inputs"):
            return
        seen = _GraphFacts.of(op.graph)
        seen.train_ops.add(op)
        # SyncReplicasOptimizer: a worker hands in its gradients and waits for a token; the chief's process, in a thread
        # of its own, makes the update of so many of them
        count = getattr(optimizer, "_replicas_to_aggregate", None)
        if self._steps.in_cluster and count is not None:
            seen.together[op] = int(count)

    def differentiated(self, losses: List[Any], pairs: List[Any], by_hand: bool) -> None:
        """These gradients came of losses, by an optimizer or by `tf.gradients`."""
        for loss in losses:
            graph = getattr(loss, "graph", None) if is_scalar(loss) else None
            if graph is not None:
                seen = _GraphFacts.of(graph)
                known = seen.by_hand if by_hand else seen.by_optimizer
                known.append((loss, {operation(gradient) for gradient, _ in pairs if gradient is not None}))

    def run(self, original: Any, session: Any, fetches: Any, feed_dict: Any, *options: Any) -> Any:
        """A call of `Session.run`."""
        plan = self._steps.harmless(self._plan, session.graph, fetches)
        if plan is None:
            return original(session, fetches, feed_dict, *options)
        if not self._began:
            self._began = True
            self._steps.begins_after(global_step(session.graph, lambda fetched: original(session, fetched)))
        begin = clock()
        values, losses = original(session, [fetches, plan.losses], feed_dict, *options)
        end = clock()
        numbers = [float(loss) for loss in losses if loss.ndim == 0]
        loss = sum(numbers) / len(numbers) if numbers else None
        self._steps.towers(max(1, len(plan.losses)))
        self._steps.step(begin, end, lambda: loss, at_once=True, together=plan.together)
        return values

    def _plan(self, graph: Any, fetches: Any) -> Optional[_Plan]:
        try:
            operations = frozenset(operation(element) for element in flatten_fetches(graph, fetches))
        except (TypeError, ValueError, KeyError):  # a wrong fetch: the session says so better
            return None
        seen = _GraphFacts.of(graph)
        key = operations, len(seen.train_ops)
        if key not in seen.plans:
            seen.plans[key] = self._new_plan(graph, seen, operations)
        return seen.plans[key]

    def _new_plan(self, graph: Any, seen: _GraphFacts, operations: Any) -> Optional[_Plan]:
        reached = ancestors(operations)
        updates = reached & seen.train_ops
        if not updates:
            return None
        losses = []  # type: list[Any]
        for loss, gradients in seen.by_optimizer or seen.by_hand:
            plain = find_fetchable_loss(loss, reached) if gradients & reached else None
            if (
                plain is not None
                and graph.is_fetchable(plain)
                and all(plain is not known for known in losses)
            ):
                losses.append(plain)
        together = next((seen.together[op] for op in updates if op in seen.together), None)
        return _Plan(losses, together)


def global_step(graph: Any, run: Callable[[Any], Any]) -> int:
    """How many steps a TF1 graph's global step says were made; 0 where it has none, or none that can be read.

    Args:
        graph: a `tf.Graph`, perhaps finalized.
    """
    known = list(graph.get_collection("global_step"))
    known += [variable for variable in graph.get_collection("variables") if variable.op.name == "global_step"]
    try:
        return int(run(known[0])) if known else 0
    except Exception:  # not initialized: the step itself will say so
        return 0


def watch_sessions(tf: Any, optimizers: OptimizerCalls, steps: Steps) -> None:
    """Looks at every session, MonitoredSession's too, from now on."""
    v1 = getattr(getattr(tf, "compat", None), "v1", None) or tf
    watch = SessionWatch(steps)
    optimizers.listen(lambda *call: steps.harmless(watch.applied, *call))
    for kind in (v1.train.Optimizer, v1.train.SyncReplicasOptimizer):
        optimizers.watch(kind)
    watch_gradients(tf, lambda *call: steps.harmless(watch.differentiated, *call))
    around_runs(tf, watch.run)


# -- questions to a graph: what is fetched, what it depends on, which loss can be fetched beside it --------------------

_FED = ("Placeholder",)
#: stateful ops that only read, and changing ones that are not marked as stateful: those on ref variables
_READING = ("VariableV2", "Variable", "VarHandleOp", "ReadVariableOp")
_CHANGING = ("Assign", "Scatter", "Apply", "SparseApply", "CountUpTo")


def flatten_fetches(graph: Any, fetches: Any) -> Iterator[Any]:
    """The tensors and operations in what `Session.run` is given. Hooks' dictionaries have keys that do not sort."""
    for leaf in leaves(fetches):
        yield graph.as_graph_element(leaf) if isinstance(leaf, str) else leaf


def operation(element: Any) -> Any:
    """The operation of a tensor or variable, or itself."""
    return getattr(element, "op", element)


def ancestors(operations: Iterable[Any]) -> Set[Any]:
    """These operations and all that they need, over inputs and control inputs, through iterators and queues too."""
    return recorder_graph.ancestors([op for op in operations if hasattr(op, "control_inputs")], False)


def is_scalar(tensor: Any) -> bool:
    """Whether it is one number of a floating type, as far as the graph knows."""
    dtype, shape = getattr(tensor, "dtype", None), getattr(tensor, "shape", None)
    return getattr(dtype, "is_floating", False) and getattr(shape, "ndims", -1) in (0, None)


def find_fetchable_loss(loss: Any, reached: Set[Any]) -> Any:
    """A loss as it can be fetched beside `reached` without changing anything; None where it cannot.

    The value of a loss is often not needed for its gradients: its last operations are extra. They may read variables,
    but not change anything, draw numbers or take a batch. Control inputs of a last Identity are left out.
    """
    while True:
        extra = ancestors([loss.op]) - reached
        if not any(_acts(op) for op in extra):
            return loss
        if loss.op.type != "Identity":
            return None
        loss = loss.op.inputs[0]


def _acts(op: Any) -> bool:
    if op.type.startswith((*_FED, *_CHANGING)) or recorder_graph.INPUT_OPS.fullmatch(op.type) is not None:
        return True
    return op.type not in _READING and getattr(op.op_def, "is_stateful", False)

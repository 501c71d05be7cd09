"""TF1: finds the calls of `Session.run` that train, and their losses.

A call trains when its fetches depend on the op that an optimizer's `apply_gradients` or `minimize`
returned. Its losses are the tensors that `compute_gradients` (or `tf.gradients`) differentiated,
one for each tower, where the call computes their gradients. The same call fetches them, if they
need no op with an effect that the step does not run itself.
"""

from typing import Any, Callable, Iterable, List, NamedTuple, Optional, Set

from tf2towers.compare.watch.optimizer_calls import OptimizerCalls
from tf2towers.compare.watch.steps import Steps, clock
from tf2towers.verify.recorder import graph as recorder_graph
from tf2towers.verify.recorder.run_arguments import leaves
from tf2towers.verify.recorder.session_runs import around_runs
from tf2towers.verify.recorder.updates import watch_gradients


class _Plan(NamedTuple):
    """For fetches that train: the losses to fetch, and how many workers update together."""

    losses: List[Any]
    together: Optional[int]


class _GraphFacts:
    """The facts known about a graph. They are an attribute of the graph, and are freed with it."""

    def __init__(self) -> None:
        self.train_ops = set()  # type: set[Any]
        self.together = {}  # type: dict[Any, int]
        self.by_optimizer = []  # type: list[tuple[Any, set[Any]]]
        self.by_hand = []  # type: list[tuple[Any, set[Any]]]
        self.plans = {}  # type: dict[Any, Optional[_Plan]]


def _facts(graph: Any) -> _GraphFacts:
    """The facts of a graph; at the first call, empty ones."""
    if not hasattr(graph, "_tf2towers_seen"):
        graph._tf2towers_seen = _GraphFacts()
    return graph._tf2towers_seen


class SessionWatch:
    """Notes the train ops and losses of optimizers, and watches each call of a session."""

    def __init__(self, steps: Steps) -> None:
        self._steps = steps
        self._began = False

    def applied(self, optimizer: Any, returned: Any) -> None:
        """Notes the operation that an optimizer's `apply_gradients` returned."""
        op = operation(returned)
        if not hasattr(op, "control_inputs"):
            return
        seen = _facts(op.graph)
        seen.train_ops.add(op)
        # SyncReplicasOptimizer: a worker sends its gradients and waits for a token. A thread in the
        # chief's process makes each update from `_replicas_to_aggregate` gradients
        count = getattr(optimizer, "_replicas_to_aggregate", None)
        if self._steps.in_cluster and count is not None:
            seen.together[op] = int(count)

    def differentiated(self, losses: List[Any], pairs: List[Any], by_hand: bool) -> None:
        """Notes losses with the gradients computed from them, by an optimizer or `by_hand`."""
        for loss in losses:
            graph = getattr(loss, "graph", None) if is_scalar(loss) else None
            if graph is not None:
                seen = _facts(graph)
                known = seen.by_hand if by_hand else seen.by_optimizer
                known.append((loss, {operation(gradient) for gradient, _ in pairs if gradient is not None}))

    def run(self, original: Any, session: Any, fetches: Any, feed_dict: Any, *options: Any) -> Any:
        """Wraps a call of `Session.run`: where it trains, fetches its losses and reports a step."""
        plan = self._steps.try_call(self._plan, session.graph, fetches)
        if plan is None:
            return original(session, fetches, feed_dict, *options)
        if not self._began:
            self._began = True
            self._steps.note_resumed(global_step(session.graph, lambda fetched: original(session, fetched)))
        begin = clock()
        values, losses = original(session, [fetches, plan.losses], feed_dict, *options)
        end = clock()
        numbers = [float(loss) for loss in losses if loss.ndim == 0]
        loss = sum(numbers) / len(numbers) if numbers else None
        self._steps.towers(max(1, len(plan.losses)))
        self._steps.step(begin, end, lambda: loss, at_once=True, together=plan.together)
        return values

    def _plan(self, graph: Any, fetches: Any) -> Optional[_Plan]:
        """The losses to fetch with these fetches; None where they do not train."""
        try:
            elements = [
                graph.as_graph_element(leaf) if isinstance(leaf, str) else leaf for leaf in leaves(fetches)
            ]
        except (TypeError, ValueError, KeyError):  # an invalid fetch: the session raises the better error
            return None
        operations = frozenset(map(operation, elements))
        seen = _facts(graph)
        key = operations, len(seen.train_ops)
        if key not in seen.plans:
            seen.plans[key] = _new_plan(graph, seen, operations)
        return seen.plans[key]


def _new_plan(graph: Any, seen: _GraphFacts, operations: Any) -> Optional[_Plan]:
    reached = ancestors(operations)
    updates = reached & seen.train_ops
    if not updates:
        return None
    losses = []  # type: List[Any]
    for loss, gradients in seen.by_optimizer or seen.by_hand:
        plain = find_fetchable_loss(loss, reached) if gradients & reached else None
        if plain is not None and graph.is_fetchable(plain) and all(plain is not known for known in losses):
            losses.append(plain)
    return _Plan(losses, next((seen.together[op] for op in updates if op in seen.together), None))


def global_step(graph: Any, run: Callable[[Any], Any]) -> int:
    """The value of a TF1 graph's global step; 0 without one, or if it cannot be read.

    Args:
        graph: a `tf.Graph`, perhaps finalized.
    """
    known = list(graph.get_collection("global_step"))
    known += [variable for variable in graph.get_collection("variables") if variable.op.name == "global_step"]
    try:
        return int(run(known[0])) if known else 0
    except Exception:  # not initialized: the step itself raises the error
        return 0


def watch_sessions(tf: Any, optimizers: OptimizerCalls, steps: Steps) -> None:
    """Watches every session, MonitoredSession's too, from now on."""
    v1 = getattr(getattr(tf, "compat", None), "v1", None) or tf
    watch = SessionWatch(steps)
    optimizers.listen(lambda *call: steps.try_call(watch.applied, *call))
    for kind in (v1.train.Optimizer, v1.train.SyncReplicasOptimizer):
        optimizers.watch(kind)
    watch_gradients(tf, lambda *call: steps.try_call(watch.differentiated, *call))
    around_runs(tf, watch.run)


# -- searches in a graph: the ops that a fetch depends on, and a loss that can be fetched with it

#: stateful ops that only read; fed ops, and ops that change ref variables, which are not marked as
#: stateful
_READING = ("VariableV2", "Variable", "VarHandleOp", "ReadVariableOp")
_FED_OR_CHANGING = ("Placeholder", "Assign", "Scatter", "Apply", "SparseApply", "CountUpTo")


def operation(element: Any) -> Any:
    """The operation of a tensor or variable; anything else is returned as it is."""
    return getattr(element, "op", element)


def ancestors(operations: Iterable[Any]) -> Set[Any]:
    """These operations and all that they depend on, also through iterators and queues."""
    return recorder_graph.ancestors([op for op in operations if hasattr(op, "control_inputs")], False)


def is_scalar(tensor: Any) -> bool:
    """True if a tensor is a floating-point scalar, or of unknown rank."""
    dtype, shape = getattr(tensor, "dtype", None), getattr(tensor, "shape", None)
    return getattr(dtype, "is_floating", False) and getattr(shape, "ndims", -1) in (0, None)


def find_fetchable_loss(loss: Any, reached: Set[Any]) -> Any:
    """A loss that can be fetched with the ops `reached` without any effect; or None.

    The gradients often do not need the value of the loss, so its last operations are extra. They
    may read variables, but may not change anything, draw random numbers or take a batch. A last
    Identity that fails this is replaced by its input.
    """
    while True:
        extra = ancestors([loss.op]) - reached
        if not any(_acts(op) for op in extra):
            return loss
        if loss.op.type != "Identity":
            return None
        loss = loss.op.inputs[0]


def _acts(op: Any) -> bool:
    if op.type.startswith(_FED_OR_CHANGING) or recorder_graph.INPUT_OPS.fullmatch(op.type) is not None:
        return True
    return op.type not in _READING and getattr(op.op_def, "is_stateful", False)

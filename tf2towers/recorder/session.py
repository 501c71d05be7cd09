"""What a TF1 script's session calls compute, recorded: a little more is fetched in those that train."""

import contextlib
from typing import Any, Dict, List

import numpy as np

from . import graph as graphs
from .digest import digest
from .fetches import NUMBERS, feeds_of, fetched_ops, has_ops, inputs_behind, is_number, leaves


class Enough(BaseException):
    """As many steps as were asked for are recorded."""


class Computed(object):
    """One `compute_gradients`: a tower's loss and gradients."""

    def __init__(self, loss: Any, pairs: List[Any]) -> None:
        self.loss = loss
        self.pairs = pairs


class Applied(object):
    """One `apply_gradients`: its op, and what it applies."""

    def __init__(self, optimizer: Any, op: Any, pairs: List[Any]) -> None:
        self.optimizer = optimizer
        self.op = op
        self.pairs = pairs


class Training(object):
    """What is fetched beside, for one set of fetches that train."""

    def __init__(self) -> None:
        self.names = []  # type: List[Any]
        self.tensors = []  # type: List[Any]
        self.trainable = []  # type: List[Any]
        self.without_gradient = []  # type: List[Any]
        self.optimizer = None  # type: Any
        self.towers = 1
        self.layer_types = {}  # type: Dict[Any, Any]

    def add(self, name: str, tensor: Any) -> None:
        """One more, under 'kind|name'."""
        self.names.append(name)
        self.tensors.append(tensor)


class SessionRecorder(object):
    """Watches optimizers and sessions.

    Args:
        tf: the TF1 module.
        writer: where steps go.
        steps: how many are recorded; the script is ended then, by `Enough`.
        layers: also note the forward pass, layer by layer.
    """

    def __init__(self, tf: Any, writer: Any, steps: int, layers: bool = False) -> None:
        self._tf = tf
        self._writer = writer
        self._wanted = steps
        self._layers = layers
        self.computed = []  # type: List[Any]
        self.applied = []  # type: List[Any]
        self.sessions = 0
        self.notes = []  # type: List[Any]
        self._kinds = {}  # type: Dict[Any, Any]
        self._variables = {}  # type: Dict[Any, Any]
        self._before = None  # type: Any
        self._last = None  # type: Any
        self._batch_size = None  # type: Any
        self._busy = False
        self._depth = 0
        self.on_enough = None  # type: Any

    # -- called by the patches ---------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def outermost(self) -> Any:
        """True where no other call of the kind is under way: an optimizer may hand on to another one."""
        self._depth += 1
        try:
            yield self._depth == 1
        finally:
            self._depth -= 1

    def run(self, run: Any, session: Any, fetches: Any, *args: Any, **kwargs: Any) -> Any:
        """A session call; recorded if it trains."""
        if self._busy:
            return run(session, fetches, *args, **kwargs)
        self.sessions += 1
        training = self._training(session, fetches)
        if training is None:
            if self._before is not None and has_ops(self._tf, session, fetches):
                self._before = None  # it may have changed variables
            return run(session, fetches, *args, **kwargs)
        return self._train(training, run, session, fetches, *args, **kwargs)

    # -- a step ------------------------------------------------------------------------------------------------------

    def _train(self, training: Any, run: Any, session: Any, fetches: Any, *args: Any, **kwargs: Any) -> Any:
        before = self._before if self._before is not None else self._values(run, session)
        values, extra = run(session, [fetches, training.tensors], *args, **kwargs)
        after = self._values(run, session)
        step = {"variable|" + name: value for name, value in before.items()}
        step.update({"after|" + name: value for name, value in after.items()})
        for name, value in zip(training.names, extra):
            step[name] = digest(value) if name.startswith("layer|") else value
        feeds = args[0] if args else kwargs.get("feed_dict")
        step.update(self._feeds(session, feeds))
        step.update(self._fetched(fetches, values))
        self._before, self._last = after, training
        self._note_batch_size(step)
        self._writer.step(step)
        if self._writer.steps >= self._wanted:
            self.on_enough()
        return values

    def _training(self, session: Any, fetches: Any) -> Any:
        """What to fetch beside, or None for a call that does not train."""
        if not self.applied:
            return None
        ops = fetched_ops(self._tf, session, fetches)
        if not ops:
            return None
        key = frozenset(ops)
        if key not in self._kinds:
            self._kinds[key] = self._plan(session, ops)
        return self._kinds[key]

    def _plan(self, session: Any, ops: Any) -> Any:
        behind = graphs.ancestors(ops)
        applied = [one for one in self.applied if one.op in behind and one.op.graph is session.graph]
        if not applied:
            return None
        training = Training()
        training.optimizer = applied[0].optimizer
        for one in applied:
            for gradient, variable in one.pairs:
                name = _name(variable)
                training.trainable.append(name)
                if gradient is None:
                    training.without_gradient.append(name)
                else:
                    _add_gradient(training, "gradient|" + name, gradient)
        update = graphs.ancestors([one.op for one in applied])
        towers = [one for one in self.computed if _is_behind(one, update)]
        training.towers = max(1, len(towers))
        for number, tower in enumerate(towers):
            loss = tower.loss() if callable(tower.loss) else tower.loss
            training.add("loss|%d" % number, loss)
            for gradient, variable in tower.pairs:
                if gradient is not None and not graphs.in_control_flow(_op(gradient)):
                    _add_gradient(training, "tower gradient|%d|%s" % (number, _name(variable)), gradient)
            self._add_of_tower(training, number, graphs.ancestors([loss.op]))
        for tensor in inputs_behind(behind):
            training.add("input|%06d|%s" % (graphs.creation(tensor.op), tensor.name), tensor)
        return training

    def _add_of_tower(self, training: Any, number: Any, forward: Any) -> None:
        for place, op in enumerate(graphs.of_type(forward, graphs.RANDOM_OPS)):
            training.add("draw|%d|%d" % (number, place), op.outputs[0])
        if self._layers:
            for place, op in enumerate(graphs.of_type(forward, graphs.LAYER_OPS)):
                if is_number(op.outputs[0]):
                    name = graphs.without_tower(op.name)
                    training.layer_types[name] = op.type
                    training.add("layer|%d|%05d|%s" % (number, place, name), op.outputs[0])

    # -- values ------------------------------------------------------------------------------------------------------

    def _values(self, run: Any, session: Any) -> Any:
        """Every initialized global variable."""
        graph = session.graph
        if graph not in self._variables:
            with graph.as_default(), _open(graph):
                variables = [v for v in self._tf.global_variables() if is_number(v)]
                ready = self._quietly(run, session, [self._tf.is_variable_initialized(v) for v in variables])
                self._variables[graph] = [v for v, is_ready in zip(variables, ready) if is_ready]
        variables = self._variables[graph]
        found = self._quietly(run, session, variables)
        return {_name(v): value for v, value in zip(variables, found)}

    def _quietly(self, run: Any, session: Any, fetches: Any) -> Any:
        self._busy = True
        try:
            return run(session, fetches)
        finally:
            self._busy = False

    def _feeds(self, session: Any, feeds: Any) -> Any:
        found = feeds_of(session, feeds)
        order = {name: graphs.creation(session.graph.get_tensor_by_name(name).op) for name in found}
        return {"input|%06d|%s" % (order[name], name): value for name, value in found.items()}

    def _fetched(self, fetches: Any, values: Any) -> Any:
        found, place = {}, 0
        for value in leaves(values):
            if isinstance(value, bytes):
                found.update(self._summaries(value))
            elif isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in NUMBERS:
                found["fetched|%d" % place] = value
                place += 1
        return found

    def _summaries(self, text: Any) -> Any:
        summary = getattr(self._tf, "Summary", None) or self._tf.summary.Summary
        try:
            parsed = summary.FromString(text)
        except Exception:  # other bytes
            return {}
        return {
            "summary|" + graphs.without_tower(one.tag): np.float32(one.simple_value)
            for one in parsed.value
            if one.WhichOneof("value") == "simple_value"
        }

    def _note_batch_size(self, step: Any) -> None:
        sizes = [v.shape[0] for name, v in step.items() if name.startswith("input|") and np.ndim(v) > 1]
        if sizes and self._batch_size is None:
            self._batch_size = int(sizes[0])

    def facts(self) -> Dict[str, Any]:
        """What meta.json says of the run."""
        found = {"side": "legacy", "notes": self.notes, "batch_size": self._batch_size, "towers": 1}
        if self._last is not None:
            found["towers"] = self._last.towers
            found["trainable"] = self._last.trainable
            found["without_gradient"] = self._last.without_gradient
            found["layer_types"] = self._last.layer_types
            found["optimizer"] = describe(self._last.optimizer)
        return found


@contextlib.contextmanager
def _open(graph: Any) -> Any:
    """A graph that MonitoredSession or Supervisor has finalized; a session takes in what is added all the same."""
    finalized = graph.finalized
    if finalized:
        graph._unsafe_unfinalize()
    try:
        yield
    finally:
        if finalized:
            graph.finalize()


def describe(optimizer: Any) -> Dict[str, Any]:
    """Its class, and those of its settings that are plain numbers."""
    found = {"class": type(optimizer).__name__}  # type: Dict[str, Any]
    for name, value in sorted(vars(optimizer).items()):
        if isinstance(value, (int, float, bool)) and not name.startswith("__"):
            found[name.strip("_")] = value
    return found


def _add_gradient(training: Any, name: Any, gradient: Any) -> None:
    """The gradient; one that is sparse is two: its values and their rows."""
    if hasattr(gradient, "indices"):
        training.add(name + "//values", gradient.values)
        training.add(name + "//indices", gradient.indices)
    else:
        training.add(name, gradient)


def _is_behind(computed: Any, update: Any) -> bool:
    return any(g is not None and _op(g) in update for g, _ in computed.pairs)


def _op(gradient: Any) -> Any:
    return gradient.values.op if hasattr(gradient, "indices") else gradient.op


def _name(variable: Any) -> str:
    return str(variable.name).split(":")[0]

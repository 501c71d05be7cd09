"""What a TF1 script's session calls compute, recorded: a little more is fetched in those that train."""

import contextlib

import numpy as np

from . import graph as graphs
from .digest import digest

_NUMBERS = "biufc"


class Enough(BaseException):
    """As many steps as were asked for are recorded."""


class Computed(object):
    """One `compute_gradients`: a tower's loss and gradients."""

    def __init__(self, loss: object, pairs: list) -> None:
        self.loss = loss
        self.pairs = pairs


class Applied(object):
    """One `apply_gradients`: its op, and what it applies."""

    def __init__(self, optimizer: object, op: object, pairs: list) -> None:
        self.optimizer = optimizer
        self.op = op
        self.pairs = pairs


class Training(object):
    """What is fetched beside, for one set of fetches that train."""

    def __init__(self) -> None:
        self.names = []  # type: list
        self.tensors = []  # type: list
        self.trainable = []  # type: list
        self.without_gradient = []  # type: list
        self.optimizer = None  # type: object
        self.towers = 1
        self.layer_types = {}  # type: dict
        self.unordered = {}  # type: dict

    def add(self, name: str, tensor: object) -> None:
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

    def __init__(self, tf: object, writer: object, steps: int, layers: bool = False) -> None:
        self._tf = tf
        self._writer = writer
        self._wanted = steps
        self._layers = layers
        self.computed = []  # type: list
        self.applied = []  # type: list
        self.sessions = 0
        self.notes = []  # type: list
        self._kinds = {}  # type: dict
        self._variables = {}  # type: dict
        self._before = None  # type: object
        self._last = None  # type: object
        self._batch_size = None  # type: object
        self._busy = False
        self._depth = 0
        self.averages = None  # type: object
        self.on_enough = None  # type: object

    # -- called by the patches ---------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def outermost(self):
        """True where no other call of the kind is under way: an optimizer may hand on to another one."""
        self._depth += 1
        try:
            yield self._depth == 1
        finally:
            self._depth -= 1

    def run(self, run: object, session: object, fetches: object, *args: object, **kwargs: object) -> object:
        """A session call; recorded if it trains."""
        if self._busy:
            return run(session, fetches, *args, **kwargs)  # type: ignore[operator]
        self.sessions += 1
        training = self._training(session, fetches)
        if training is None:
            if self._before is not None and _has_ops(self._tf, session, fetches):
                self._before = None  # it may have changed variables
            return run(session, fetches, *args, **kwargs)  # type: ignore[operator]
        return self._train(training, run, session, fetches, *args, **kwargs)

    # -- a step ------------------------------------------------------------------------------------------------------

    def _train(self, training, run, session, fetches, *args, **kwargs):
        before = self._before if self._before is not None else self._values(run, session)
        values, extra = run(session, [fetches, training.tensors], *args, **kwargs)
        after = self._values(run, session)
        step = {"variable|" + name: value for name, value in before.items()}
        step.update({"after|" + name: value for name, value in after.items()})
        for name, value in zip(training.names, extra):
            if name.startswith("layer|"):
                value = digest(value)
            step[name] = value
        feeds = args[0] if args else kwargs.get("feed_dict")
        step.update(self._feeds(session, feeds))
        step.update(self._fetched(fetches, values))
        self._before, self._last = after, training
        self._note_batch_size(step)
        self._writer.step(step)
        if self._writer.steps >= self._wanted:
            self.on_enough()
        return values

    def _training(self, session, fetches):
        """What to fetch beside, or None for a call that does not train."""
        if not self.applied:
            return None
        ops = _fetched_ops(self._tf, session, fetches)
        if not ops:
            return None
        key = frozenset(ops)
        if key not in self._kinds:
            self._kinds[key] = self._plan(session, ops)
        return self._kinds[key]

    def _plan(self, session, ops):
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
        if self.averages is not None:
            training.unordered = self.averages.unordered(behind, [one.op for one in applied])
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

    def _add_of_tower(self, training, number, forward):
        for place, op in enumerate(graphs.of_type(forward, graphs.RANDOM_OPS)):
            training.add("draw|%d|%d" % (number, place), op.outputs[0])
        if self._layers:
            for place, op in enumerate(graphs.of_type(forward, graphs.LAYER_OPS)):
                if _is_number(op.outputs[0]):
                    name = graphs.without_tower(op.name)
                    training.layer_types[name] = op.type
                    training.add("layer|%d|%05d|%s" % (number, place, name), op.outputs[0])

    # -- values ------------------------------------------------------------------------------------------------------

    def _values(self, run, session):
        """Every initialized global variable."""
        graph = session.graph
        if graph not in self._variables:
            with graph.as_default():
                variables = [v for v in self._tf.global_variables() if _is_number(v)]
                ready = self._quietly(run, session, [self._tf.is_variable_initialized(v) for v in variables])
                self._variables[graph] = [v for v, is_ready in zip(variables, ready) if is_ready]
        variables = self._variables[graph]
        found = self._quietly(run, session, variables)
        return {_name(v): value for v, value in zip(variables, found)}

    def _quietly(self, run, session, fetches):
        self._busy = True
        try:
            return run(session, fetches)
        finally:
            self._busy = False

    def _feeds(self, session, feeds):
        found = feeds_of(session, feeds)
        order = {name: graphs.creation(session.graph.get_tensor_by_name(name).op) for name in found}
        return {"input|%06d|%s" % (order[name], name): value for name, value in found.items()}

    def _fetched(self, fetches, values):
        found, place = {}, 0
        for value in _leaves(values):
            if isinstance(value, bytes):
                found.update(self._summaries(value))
            elif isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in _NUMBERS:
                found["fetched|%d" % place] = value
                place += 1
        return found

    def _summaries(self, text):
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

    def _note_batch_size(self, step):
        sizes = [v.shape[0] for name, v in step.items() if name.startswith("input|") and np.ndim(v) > 1]
        if sizes and self._batch_size is None:
            self._batch_size = int(sizes[0])

    def facts(self) -> dict:
        """What meta.json says of the run."""
        found = {"side": "legacy", "notes": self.notes, "batch_size": self._batch_size, "towers": 1}
        if self._last is not None:
            found["towers"] = self._last.towers
            found["trainable"] = self._last.trainable
            found["without_gradient"] = self._last.without_gradient
            found["layer_types"] = self._last.layer_types
            found["unordered_averages"] = self._last.unordered
            found["optimizer"] = describe(self._last.optimizer)
        return found


def inputs_behind(ops):
    """The numbers that iterators, queues and Python functions among `ops` bring in, in the order of creation."""
    found = graphs.of_type(ops, graphs.INPUT_OPS)
    return [tensor for op in found for tensor in op.outputs if _is_number(tensor)]


def feeds_of(session, feeds):
    """The arrays of a feed_dict by the names of their tensors, in the order of creation."""
    pairs = [pair for key, value in (feeds or {}).items() for pair in _fed(session, key, value)]
    pairs.sort(key=lambda pair: graphs.creation(pair[0].op))
    arrays = [
        (tensor, np.asarray(value, dtype=tensor.dtype.base_dtype.as_numpy_dtype)) for tensor, value in pairs
    ]
    return {tensor.name: array for tensor, array in arrays if array.dtype.kind in _NUMBERS}


def describe(optimizer):
    """Its class, and those of its settings that are plain numbers."""
    found = {"class": type(optimizer).__name__}
    for name, value in sorted(vars(optimizer).items()):
        if isinstance(value, (int, float, bool)) and not name.startswith("__"):
            found[name.strip("_")] = value
    return found


def _add_gradient(training, name, gradient):
    """The gradient; one that is sparse is two: its values and their rows."""
    if hasattr(gradient, "indices"):
        training.add(name + "//values", gradient.values)
        training.add(name + "//indices", gradient.indices)
    else:
        training.add(name, gradient)


def _is_behind(computed, update):
    return any(g is not None and _op(g) in update for g, _ in computed.pairs)


def _op(gradient):
    return gradient.values.op if hasattr(gradient, "indices") else gradient.op


def _name(variable):
    return variable.name.split(":")[0]


def _is_number(tensor):
    try:
        return np.dtype(tensor.dtype.base_dtype.as_numpy_dtype).kind in _NUMBERS
    except TypeError:  # a resource, a variant
        return False


def _fetched_ops(tf, session, fetches):
    found = []
    for leaf in _leaves(fetches):
        try:
            element = session.graph.as_graph_element(leaf, allow_tensor=True, allow_operation=True)
        except (TypeError, ValueError, KeyError):
            for part in ("values", "indices"):  # a sparse one
                if hasattr(leaf, part):
                    found.append(getattr(leaf, part).op)
            continue
        found.append(element if isinstance(element, tf.Operation) else element.op)
    return found


def _has_ops(tf, session, fetches):
    return any(not op.outputs or "Assign" in op.type for op in _fetched_ops(tf, session, fetches))


def _fed(session, key, value):
    """(tensor, value) pairs of one entry of a feed_dict."""
    if isinstance(key, (tuple, list)):
        return [pair for one, part in zip(key, value) for pair in _fed(session, one, part)]
    if hasattr(key, "indices") and hasattr(value, "indices"):
        return [(key.indices, value.indices), (key.values, value.values)]
    try:
        tensor = session.graph.as_graph_element(key, allow_tensor=True, allow_operation=False)
    except (TypeError, ValueError, KeyError):
        return []
    return [(tensor, value)] if _is_number(tensor) else []


def _leaves(fetches):
    """What is in a nest of lists, tuples and dicts, in order."""
    if isinstance(fetches, dict):
        return [leaf for one in fetches.values() for leaf in _leaves(one)]
    if isinstance(fetches, (list, tuple)) and not hasattr(fetches, "indices"):
        return [leaf for one in fetches for leaf in _leaves(one)]
    return [] if fetches is None else [fetches]

"""The parts of a TF1 graph's update: its towers, their losses and gradients, inputs and random numbers."""

import sys
from typing import Any, Iterable, List, NamedTuple, Optional, Set, Tuple

from . import graph as graphs
from .run_arguments import inputs_among

#: the result of `compute_gradients`: (gradient or None, variable)
Pairs = List[Tuple[Any, Any]]


class Computed(NamedTuple):
    """One call of `compute_gradients`: a tower's loss and gradients."""

    loss: Any
    pairs: Pairs


class Applied(NamedTuple):
    """One call of `apply_gradients`: its op, and the gradients that it applies."""

    optimizer: Any
    op: Any
    pairs: Pairs


class Training(object):
    """The tensors to fetch in addition, for one set of fetches that train."""

    def __init__(self) -> None:
        self.names: List[str] = []
        self.tensors: List[Any] = []
        self.trainable: List[str] = []
        self.without_gradient: List[str] = []
        self.towers = 1

    def add(self, name: str, tensor: Any) -> None:
        """Adds one tensor, whose name is 'kind|name'."""
        self.names.append(name)
        self.tensors.append(tensor)

    def add_gradient(self, name: str, gradient: Any) -> None:
        """Adds a gradient; a sparse one as two tensors, its values and their rows."""
        if hasattr(gradient, "indices"):
            self.add(name + "//values", gradient.values)
            self.add(name + "//indices", gradient.indices)
        else:
            self.add(name, gradient)

    def add_inputs(self, ops: Iterable[Any]) -> None:
        """Adds the inputs that ops among these return."""
        for tensor in inputs_among(ops):
            self.add("input|%06d|%s" % (graphs.creation(tensor.op), tensor.name), tensor)

    def add_of_tower(self, number: int, loss: Any) -> None:
        """Adds a tower's loss and the random numbers that it draws."""
        self.add("loss|%d" % number, loss)
        forward = graphs.ancestors([loss.op])
        for place, op in enumerate(graphs.of_type(forward, graphs.RANDOM_OPS)):
            self.add("draw|%d|%d" % (number, place), op.outputs[0])


def plan(
    graph: Any, ops: Iterable[Any], applied: List[Applied], computed: List[Computed]
) -> Optional[Training]:
    """The tensors to fetch in addition to `ops`; None where they run no update.

    Args:
        applied, computed: all that the program has built so far.
    """
    ancestors = graphs.ancestors(ops)
    applied = [update for update in applied if update.op in ancestors and update.op.graph is graph]
    if not applied:
        return None
    training = Training()
    for each in applied:
        for gradient, variable in each.pairs:
            name = name_of(variable)
            training.trainable.append(name)
            if gradient is None:
                training.without_gradient.append(name)
            else:
                training.add_gradient("gradient|" + name, gradient)
    update = graphs.ancestors([each.op for each in applied])
    towers = [tower for tower in computed if feeds_update(tower, update)]
    training.towers = max(1, len(towers))
    for number, tower in enumerate(towers):
        loss = tower.loss() if callable(tower.loss) else tower.loss
        training.add_of_tower(number, loss)
        for gradient, variable in tower.pairs:
            if gradient is not None and not graphs.in_control_flow(_op(gradient)):
                training.add_gradient("tower gradient|%d|%s" % (number, name_of(variable)), gradient)
    training.add_inputs(ancestors)
    return training


def name_of(variable: Any) -> str:
    """The name of a variable without its output number, such as 'conv1/weights'."""
    return str(variable.name).split(":")[0]


def layers_note() -> List[str]:
    """A note on the library of `tf.layers` and cells, where it is not TensorFlow."""
    keras = sys.modules.get("tf_keras")
    return [] if keras is None else ["tf.layers and cells: tf_keras " + str(keras.__version__)]


def feeds_update(computed: Computed, update: Set[Any]) -> bool:
    """True if an update depends on one of these gradients."""
    return any(gradient is not None and _op(gradient) in update for gradient, _ in computed.pairs)


def _op(gradient: Any) -> Any:
    return gradient.values.op if hasattr(gradient, "indices") else gradient.op

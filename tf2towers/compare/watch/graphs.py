"""Questions to a TF1 graph: what is fetched, what it depends on, which loss can be fetched beside it."""

from typing import Any, Iterable, Iterator, Set

from tf2towers.verify.recorder import graph as recorder_graph
from tf2towers.verify.recorder.fetches import leaves

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

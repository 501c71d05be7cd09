"""Questions to a TF1 graph: what is fetched, what it depends on, where its batches come in."""

from typing import Any, Dict, FrozenSet, Iterable, Iterator, List, Optional, Set

from tf2towers.verify.recorder import graph as recorder_graph
from tf2towers.verify.recorder.fetches import leaves

FED = ("Placeholder", "PlaceholderV2", "PlaceholderWithDefault")
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


def is_source(op: Any) -> bool:
    """Whether it gives a batch: fed, from an iterator, from a queue."""
    return op.type in FED or recorder_graph.INPUT_OPS.fullmatch(op.type) is not None


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
    if is_source(op) or op.type.startswith(_CHANGING):
        return True
    return op.type not in _READING and getattr(op.op_def, "is_stateful", False)


def batches(losses: List[Any], train: Set[Any]) -> List[FrozenSet[Any]]:
    """The sets of batch-giving operations that losses are computed from.

    Towers that share their sources (slices of one batch) share a set; towers with sources of their own have one each.
    Without losses there is the set of the whole step.
    """
    reached = [ancestors([loss.op]) for loss in losses] or [train]
    sets = {frozenset(op for op in ops if is_source(op)) for ops in reached}
    return [sources for sources in sets if sources]


def rows(groups: List[FrozenSet[Any]], feed: Dict[Any, Any]) -> Optional[int]:
    """How many examples a step takes: of each group the first dimension that most of its values have."""
    fed = {}
    for key, value in (feed or {}).items():
        fed[key if isinstance(key, str) else operation(key)] = value
    total = 0
    for group in groups:
        sizes = []
        for op in group:
            if op.type in FED:
                value = fed.get(op, fed.get(op.name + ":0"))
                shape = getattr(value, "shape", None)
                sizes.append(shape[0] if shape else len(value) if isinstance(value, (list, tuple)) else None)
            else:
                sizes.extend(first_dimension(output.shape) for output in op.outputs)
        size = most_common(sizes)
        if size is None:
            return None
        total += size
    return total or None


def first_dimension(shape: Any) -> Optional[int]:
    """That of a `tf.TensorShape`, where it is known."""
    sizes = shape.as_list() if getattr(shape, "ndims", None) else []
    return sizes[0] if sizes else None


def most_common(sizes: Iterable[Optional[int]]) -> Optional[int]:
    """The one that comes most often, of several the largest; None where there is none."""
    known = [int(size) for size in sizes if size is not None]
    return max(known, key=lambda size: (known.count(size), size)) if known else None

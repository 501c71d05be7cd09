"""What a session call is given, what it is asked for, and what comes into its graph."""

from typing import Any, Dict, List

import numpy as np

from . import graph as graphs

NUMBERS = "biufc"  # the kinds of NumPy types that are numbers


def inputs_behind(ops: Any) -> List[Any]:
    """The numbers that iterators, queues and Python functions among `ops` bring in, in the order of creation."""
    found = graphs.of_type(ops, graphs.INPUT_OPS)
    return [tensor for op in found for tensor in op.outputs if is_number(tensor)]


def feeds_of(session: Any, feeds: Any) -> Dict[str, Any]:
    """The arrays of a feed_dict by the names of their tensors, in the order of creation."""
    pairs = [pair for key, value in (feeds or {}).items() for pair in _fed(session, key, value)]
    pairs.sort(key=lambda pair: graphs.creation(pair[0].op))
    arrays = [
        (tensor, np.asarray(value, dtype=tensor.dtype.base_dtype.as_numpy_dtype)) for tensor, value in pairs
    ]
    return {tensor.name: array for tensor, array in arrays if array.dtype.kind in NUMBERS}


def fetched_ops(tf: Any, session: Any, fetches: Any) -> List[Any]:
    """The operations behind what is fetched; of a sparse tensor those of its parts."""
    found = []
    for leaf in leaves(fetches):
        try:
            element = session.graph.as_graph_element(leaf, allow_tensor=True, allow_operation=True)
        except (TypeError, ValueError, KeyError):
            for part in ("values", "indices"):  # a sparse one
                if hasattr(leaf, part):
                    found.append(getattr(leaf, part).op)
            continue
        found.append(element if isinstance(element, tf.Operation) else element.op)
    return found


def has_ops(tf: Any, session: Any, fetches: Any) -> bool:
    """Whether one of them only acts, or assigns: it may change variables."""
    return any(not op.outputs or "Assign" in op.type for op in fetched_ops(tf, session, fetches))


def _fed(session: Any, key: Any, value: Any) -> List[Any]:
    """(tensor, value) pairs of one entry of a feed_dict."""
    if isinstance(key, (tuple, list)):
        return [pair for one, part in zip(key, value) for pair in _fed(session, one, part)]
    if hasattr(key, "indices") and hasattr(value, "indices"):
        return [(key.indices, value.indices), (key.values, value.values)]
    try:
        tensor = session.graph.as_graph_element(key, allow_tensor=True, allow_operation=False)
    except (TypeError, ValueError, KeyError):
        return []
    return [(tensor, value)] if is_number(tensor) else []


def leaves(fetches: Any) -> List[Any]:
    """What is in a nest of lists, tuples and dicts, in order."""
    if isinstance(fetches, dict):
        return [leaf for one in fetches.values() for leaf in leaves(one)]
    if isinstance(fetches, (list, tuple)) and not hasattr(fetches, "indices"):
        return [leaf for one in fetches for leaf in leaves(one)]
    return [] if fetches is None else [fetches]


def is_number(tensor: Any) -> bool:
    """Whether a tensor or variable holds numbers."""
    try:
        return np.dtype(tensor.dtype.base_dtype.as_numpy_dtype).kind in NUMBERS
    except TypeError:  # a resource, a variant
        return False

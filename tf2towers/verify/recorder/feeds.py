"""The values that enter a graph from outside: a call's feed_dict, iterators, queues, Python functions."""

from typing import Any, Dict, Iterable, List, Tuple

import numpy as np

from . import graph as graphs
from .fetches import NUMBERS


def inputs_among(ops: Iterable[Any]) -> List[Any]:
    """The numeric tensors that iterators, queues and Python functions among `ops` return, in the order of creation."""
    found = graphs.of_type(ops, graphs.INPUT_OPS)
    return [tensor for op in found for tensor in op.outputs if is_number(tensor)]


def feeds_of(session: Any, feeds: Any) -> Dict[str, np.ndarray]:
    """The arrays of a feed_dict by the names of their tensors, in the order of creation."""
    pairs = [pair for key, value in (feeds or {}).items() for pair in _fed(session, key, value)]
    pairs.sort(key=lambda pair: graphs.creation(pair[0].op))
    arrays = [
        (tensor, np.asarray(value, dtype=tensor.dtype.base_dtype.as_numpy_dtype)) for tensor, value in pairs
    ]
    return {tensor.name: array for tensor, array in arrays if array.dtype.kind in NUMBERS}


def names_of(graph: Any, feed_dict: Any) -> Iterable[str]:
    """The names of the tensors that a feed_dict feeds, of any type."""
    for key in feed_dict or ():
        for part in key if isinstance(key, (tuple, list)) else (key,):
            try:
                yield graph.as_graph_element(part, allow_tensor=True, allow_operation=False).name
            except (TypeError, ValueError, KeyError):
                for name in ("values", "indices", "dense_shape"):  # a sparse tensor
                    if getattr(part, name, None) is not None:
                        yield getattr(part, name).name


def entries_of(session: Any, fed: Dict[str, np.ndarray]) -> Dict[str, np.ndarray]:
    """The arrays from `feeds_of` under a step's names: 'input|position of creation|name'."""
    places = {name: graphs.creation(session.graph.get_tensor_by_name(name).op) for name in fed}
    return {"input|%06d|%s" % (places[name], name): value for name, value in fed.items()}


def is_number(tensor: Any) -> bool:
    """True if a tensor's values can be recorded: not those of a string, resource or variant."""
    try:
        return np.dtype(tensor.dtype.base_dtype.as_numpy_dtype).kind in NUMBERS
    except (TypeError, KeyError):  # a resource, a variant; TensorFlow 1 has no type for the latter
        return False


def _fed(session: Any, key: Any, value: Any) -> List[Tuple[Any, Any]]:
    """(tensor, value) pairs of one entry of a feed_dict."""
    if isinstance(key, (tuple, list)):
        return [pair for inner, part in zip(key, value) for pair in _fed(session, inner, part)]
    if hasattr(key, "indices") and hasattr(value, "indices"):
        return [(key.indices, value.indices), (key.values, value.values)]
    try:
        tensor = session.graph.as_graph_element(key, allow_tensor=True, allow_operation=False)
    except (TypeError, ValueError, KeyError):
        return []
    return [(tensor, value)] if is_number(tensor) else []

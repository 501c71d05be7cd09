"""The arguments of a session call, its fetches and feeds; other values that enter its graph; its scalar summaries."""

from typing import Any, Callable, Dict, Iterable, List, Tuple

import numpy as np

from . import graph as graphs

#: the kinds of NumPy's types that are recorded
NUMBERS = "biufc"
#: the key of the caller's fetches; a `MonitoredSession` adds its hooks' fetches (`_HookedSession.run`)
CALLER = "caller"


def leaves(fetches: Any) -> List[Any]:
    """The elements of a nest of lists, tuples and dicts, in order."""
    if isinstance(fetches, dict):
        return [leaf for part in fetches.values() for leaf in leaves(part)]
    if isinstance(fetches, (list, tuple)) and not hasattr(fetches, "indices"):
        return [leaf for part in fetches for leaf in leaves(part)]
    return [] if fetches is None else [fetches]


def mapped(fetches: Any, change: Callable[[Any], Any]) -> Any:
    """A nest of the same shape, with each element changed."""
    if isinstance(fetches, dict):
        return type(fetches)([(key, mapped(part, change)) for key, part in fetches.items()])
    if isinstance(fetches, (list, tuple)) and not hasattr(fetches, "indices"):
        parts = [mapped(part, change) for part in fetches]
        return type(fetches)(*parts) if hasattr(fetches, "_fields") else type(fetches)(parts)
    return change(fetches)


def fetched_ops(tf: Any, session: Any, fetches: Any) -> List[Any]:
    """The ops of a call's fetches; fetches outside the session's graph are omitted."""
    found = []
    for leaf in leaves(fetches):
        try:
            element = session.graph.as_graph_element(leaf, allow_tensor=True, allow_operation=True)
        except (TypeError, ValueError, KeyError):
            for part in ("values", "indices"):  # a sparse tensor
                if hasattr(leaf, part):
                    found.append(getattr(leaf, part).op)
            continue
        found.append(element if isinstance(element, tf.Operation) else element.op)
    return found


def summaries(tf: Any, text: bytes, rounded: bool = False) -> Dict[str, Any]:
    """The values in a summary by their tags, as arrays; empty for any other text.

    Args:
        rounded: whether a histogram's numbers are of the size of its values, for a tolerance beside the largest: the
            extremes, the mean and the root of the mean square, and apart from these, how many values there are.
    """
    found = {}
    try:
        entries = (getattr(tf, "Summary", None) or tf.summary.Summary).FromString(text).value
    except Exception:  # not a summary
        return {}
    for entry in entries:
        if entry.WhichOneof("value") == "simple_value":
            found[entry.tag] = np.float32(entry.simple_value)
        elif entry.WhichOneof("value") == "histo":
            parts = entry.histo  # the counts of its buckets follow from the same values
            if rounded:
                means = np.array([parts.sum, parts.sum_squares]) / max(parts.num, 1)
                found[entry.tag] = np.array([parts.min, parts.max, means[0], np.sqrt(means[1])])
                found[entry.tag + "/num"] = np.int64(parts.num)  # a number of which no part is rounding
            else:
                found[entry.tag] = np.array([parts.min, parts.max, parts.num, parts.sum, parts.sum_squares])
        else:
            found[entry.tag] = np.frombuffer(entry.SerializeToString(), np.uint8)
    return found


# -- what enters a graph from outside: a call's feed_dict, iterators, queues, Python functions -----------------------


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

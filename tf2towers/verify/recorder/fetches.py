"""The fetches of a session call and its scalar summaries: ops, numbers, tags."""

from typing import Any, Callable, Dict, List

import numpy as np

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


def summaries(tf: Any, text: bytes) -> Dict[str, Any]:
    """The values in a summary by their tags, as arrays; empty for any other text."""
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
            found[entry.tag] = np.array([parts.min, parts.max, parts.num, parts.sum, parts.sum_squares])
        else:
            found[entry.tag] = np.frombuffer(entry.SerializeToString(), np.uint8)
    return found

"""What a session call was asked for, and what it gave back: ops, numbers and scalar summaries."""

from typing import Any, Dict, List

import numpy as np

#: kinds of NumPy's types that are recorded
NUMBERS = "biufc"
#: beside which a `MonitoredSession` fetches what its hooks want (`_HookedSession.run`)
CALLER = "caller"


def leaves(fetches: Any) -> List[Any]:
    """What is in a nest of lists, tuples and dicts, in order."""
    if isinstance(fetches, dict):
        return [leaf for part in fetches.values() for leaf in leaves(part)]
    if isinstance(fetches, (list, tuple)) and not hasattr(fetches, "indices"):
        return [leaf for part in fetches for leaf in leaves(part)]
    return [] if fetches is None else [fetches]


def fetched_ops(tf: Any, session: Any, fetches: Any) -> List[Any]:
    """The ops of a call's fetches; what is not of the session's graph is left out."""
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


def summaries(tf: Any, text: bytes) -> Dict[str, Any]:
    """The values in a summary by their tags, as arrays; of any other text none."""
    found = {}
    try:
        entries = (getattr(tf, "Summary", None) or tf.summary.Summary).FromString(text).value
    except Exception:  # other bytes
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

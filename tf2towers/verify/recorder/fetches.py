"""What a session call was asked for, and what it gave back: ops, numbers and scalar summaries."""

import zlib
from typing import Any, Dict, List

import numpy as np

from . import graph as graphs

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
    """The ops behind a call's fetches; what is not of the session's graph is left out."""
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


def may_change_variables(ops: List[Any]) -> bool:
    """Whether a call that fetches these ops may leave other values in the variables."""
    return any(not op.outputs or "Assign" in op.type for op in ops)


def fetched_values(tf: Any, values: Any) -> Dict[str, Any]:
    """The numbers and the scalar summaries among a call's results, by 'kind|name'.

    Of a `MonitoredSession`'s call, those that the script asked for; its hooks ask at times of their own.
    """
    if isinstance(values, dict) and CALLER in values:
        values = values[CALLER]
    found: Dict[str, Any] = {}
    place = 0
    for value in leaves(values):
        if isinstance(value, bytes):
            found.update(scalar_summaries(tf, value))
        elif isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in NUMBERS:
            found["fetched|%d" % place] = value
            place += 1
    return found


def scalar_summaries(tf: Any, text: bytes) -> Dict[str, Any]:
    """Those in a text that is a summary, by 'summary|tag'."""
    found = summaries(tf, text).items()
    return {"summary|" + graphs.without_tower(tag): number for tag, number in found if not number.shape}


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


# -- a few numbers that stand for an array, to find the first layer whose results differ without keeping them all ------


def digest(value: object) -> np.ndarray:
    """[crc32 of the bytes, sum, sum of absolute values, sum of squares, number of elements], float64."""
    array = np.ascontiguousarray(value)
    numbers = array.astype(np.float64).ravel()
    with np.errstate(all="ignore"):
        return np.array(
            [
                zlib.crc32(array.tobytes()) & 0xFFFFFFFF,
                numbers.sum(),
                np.abs(numbers).sum(),
                np.square(numbers).sum(),
                numbers.size,
            ],
            dtype=np.float64,
        )

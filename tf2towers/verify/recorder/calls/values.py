"""The values that a session call returned, with the names of their fetches, and as arrays to store."""

import hashlib
import re
from typing import Any, Iterator, List, Tuple

import numpy as np

from ..run_arguments import CALLER

_SUMMARIES = (
    "MergeSummary", "ScalarSummary", "HistogramSummary", "ImageSummary", "ImageSummaryV2", "AudioSummary",
    "AudioSummaryV2", "TensorSummary", "TensorSummaryV2",
)  # fmt: skip
_SAVES = ("SaveV2", "MergeV2Checkpoints", "Save", "SaveSlices")
#: larger arrays (in bytes) are stored only in part, once a run has written much
_SMALL = 65536
_PART = 1024


def leaves(fetch: Any, value: Any, hooks: bool = False) -> Iterator[Tuple[Any, Any, bool]]:
    """Yields (fetch, value, whether a hook fetched it) for each value of a nest, in order."""
    if isinstance(value, dict):
        outer = CALLER in value and not hooks
        for key in value:
            part = fetch[key] if isinstance(fetch, dict) and key in fetch else fetch
            for leaf in leaves(part, value[key], hooks or (outer and key != CALLER)):
                yield leaf
    elif isinstance(value, (list, tuple)):
        parts = list(fetch) if isinstance(fetch, (list, tuple)) and len(fetch) == len(value) else []
        for place, part in enumerate(value):
            for leaf in leaves(parts[place] if parts else fetch, part, hooks):
                yield leaf
    else:
        yield fetch, value, hooks


def name_of(fetch: Any) -> str:
    """The name of a fetch in reports."""
    if isinstance(fetch, str):
        return fetch
    name = getattr(fetch, "name", None)
    return name if isinstance(name, str) else type(fetch).__name__


def kind_of(value: Any) -> str:
    """The kind of a value, as a script sees it without its numbers."""
    if isinstance(value, np.generic):
        return "a number"
    return {"ndarray": "an array", "NoneType": "nothing", "bytes": "bytes"}.get(
        type(value).__name__, type(value).__name__
    )


def is_summary(graph: Any, fetch: Any) -> bool:
    """True if a fetch is the result of an op that makes summaries."""
    return getattr(_operation(graph, fetch), "type", "") in _SUMMARIES


def is_handle(graph: Any, fetch: Any) -> bool:
    """True if a fetch is an iterator's handle: it contains an address, which differs in every process."""
    return getattr(_operation(graph, fetch), "type", "") == "IteratorToStringHandle"


def is_saved_path(graph: Any, fetch: Any) -> bool:
    """True if a fetch is the path that a Saver returns, which depends on the script's folder and the time."""
    op = _operation(graph, fetch)
    return (
        op is not None
        and op.type == "Identity"
        and op.outputs[0].dtype.name == "string"
        and any(before.type in _SAVES for before in op.control_inputs)
    )


def _operation(graph: Any, fetch: Any) -> Any:
    try:
        element = graph.as_graph_element(fetch)
    except (TypeError, ValueError, KeyError):
        return None
    return getattr(element, "op", element)


def as_array(value: Any, scratch: str = "") -> Any:
    """A value as an array of numbers; None for other objects, such as those of the session.

    Args:
        scratch: the folder of redirected writes, which differs in each run: removed from texts.
    """
    if isinstance(value, (bytes, str)):
        return _text(value if isinstance(value, bytes) else value.encode("utf-8"), scratch)
    if isinstance(value, (np.ndarray, np.generic, bool, int, float)):
        array = np.asarray(value)
        if array.dtype.kind in "biufc":
            return array
        if array.dtype.kind in "OSU":
            return _text(repr(array.tolist()).encode("utf-8"), scratch)
        if array.dtype.kind == "V":  # bfloat16, float8
            return np.frombuffer(array.tobytes(), np.uint8)
    return None


def _text(value: bytes, scratch: str) -> Any:
    if scratch:
        folder = re.escape(scratch.encode("utf-8"))
        value = re.sub(folder + rb"(/files)?(/tmp/tmp\w{8})?", b"", value)
    return np.frombuffer(value, np.uint8)


class Keeper(object):
    """Prepares arrays for the disk: whole ones, and after `most` bytes only parts or digests of large ones.

    Args:
        scratch: see `as_array`.
        rounded: whether the other side rounds differently, so that a part is a sample of elements, not a digest.
        most: the number of bytes to write in whole arrays.
    """

    def __init__(self, scratch: str = "", rounded: bool = False, most: int = 1 << 30) -> None:
        self.scratch = scratch
        self._rounded = rounded
        self._left = most

    def kept(self, name: str, value: Any) -> List[Tuple[str, Any]]:
        """Pairs of name and array to store; empty for a value that is not an array."""
        array = as_array(value, self.scratch)
        if array is None:
            return []
        if array.nbytes > _SMALL and self._left <= 0:
            if self._rounded:
                return [(name, array.reshape(-1)[:: array.size // _PART])]
            return [("digest|" + name, np.frombuffer(bytes.fromhex(hex_digest(array)), np.uint8))]
        self._left -= array.nbytes
        return [(name, array)]


def hex_digest(array: Any) -> str:
    """A digest of an array's type, shape and numbers; all NaN count as equal, and both zeros."""
    if array.dtype.kind in "fc":
        array = np.where(np.isnan(array), array.dtype.type(np.nan), array + array.dtype.type(0))
    found = hashlib.sha256(("%s%s" % (array.dtype, array.shape)).encode("ascii"))
    found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()

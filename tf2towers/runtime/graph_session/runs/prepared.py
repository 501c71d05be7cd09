"""Repeated runs of a session: their fetches and feeds are parsed once.

`BaseSession.run` parses them in Python at every call, in TF1 and here: 0.2 ms for two feeds and
three fetches. A run is recognized by the identity of its fetches and feeds. TensorFlow's own code
handles unusual runs: fetches by name or in other structures, and feeds that are neither arrays nor
numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from tf2towers.runtime.patches.functions import fetch_handler

_ELEMENTS = (tf.Tensor, tf.Operation, tf.Variable)
#: types of feeds that TensorFlow converts by NumPy alone
_PLAIN = (np.ndarray, np.generic, float, bool)


def known_by(fetches: Any, feed_dict: Any) -> tuple[Any, ...] | None:
    """A key that identifies a repeated run as long as its objects live; None for an unusual run."""
    fetched = _structure(fetches)
    if fetched is None or (feed_dict is not None and type(feed_dict) is not dict):
        return None
    return fetched, tuple(map(id, feed_dict or ()))


def _structure(fetches: Any) -> Any:
    """The ids of operations, tensors and variables in a nest; None for anything else."""
    if isinstance(fetches, _ELEMENTS):
        return id(fetches)
    kind = type(fetches)
    if kind not in (list, tuple, dict):
        return None
    parts = [_structure(part) for part in (fetches.values() if kind is dict else fetches)]
    return None if None in parts else (kind, tuple(fetches) if kind is dict else (), *parts)


def _copy(fetches: Any) -> Any:
    """A copy of the structure, so that the script's changes do not reach it."""
    if isinstance(fetches, dict):
        return {key: _copy(part) for key, part in fetches.items()}
    return type(fetches)(map(_copy, fetches)) if isinstance(fetches, list | tuple) else fetches


class Prepared:
    """A run whose fetches and feeds are parsed.

    Attributes:
        fetches: the tensors whose values the run returns.
        targets: the other operations that it runs.
        feeds: the tensors that are fed.
        key: the names of all of these.
    """

    def __init__(self, handler: Any, feeds: Sequence[tf.Tensor], fetched: Any) -> None:
        self._handler = handler
        self._fetched = fetched  # kept alive, so that the ids in the key stay valid
        self._dtypes = [feed.dtype.as_numpy_dtype for feed in feeds]
        self.fetches = [value_of(tensor) for tensor in handler.fetches()]
        self.targets: list[tf.Operation] = handler.targets()
        self.feeds = feeds
        self.key = key_of(self.targets, self.fetches, feeds)

    def values(self, feed_dict: Any) -> list[np.ndarray] | None:
        """The fed values, as `BaseSession._run` converts them; None if TensorFlow has to."""
        values = []
        for feed, dtype, given in zip(self.feeds, self._dtypes, (feed_dict or {}).values(), strict=True):
            if not isinstance(given, _PLAIN):
                return None
            value = np.asarray(given, dtype)
            if not feed.shape.is_compatible_with(value.shape):
                return None
            values.append(value)
        return values

    def results(self, session: Any, values: list[Any]) -> Any:
        """The values of the fetches in the structure that the script passed."""
        return self._handler.build_results(session, values)


def value_of(tensor: Any) -> Any:
    """The tensor to fetch: for a variable's handle ('w:0'), the variable's value, as in TF1."""
    if tensor.dtype == tf.resource and tensor.op.type == "VarHandleOp":
        return tensor.graph.get_tensor_by_name(f"{tensor.op.name}/Read/ReadVariableOp:0")
    return tensor


def key_of(
    targets: Sequence[Any], fetches: Sequence[Any], feeds: Sequence[Any]
) -> tuple[tuple[str, ...], ...]:
    """The names of a run's targets, fetches and feeds."""
    return tuple(tuple(element.name for element in group) for group in (targets, fetches, feeds))


def prepare(graph: tf.Graph, fetches: Any, feed_dict: Any) -> Prepared | None:
    """Prepares a run for its repetition; None for an unusual run."""
    feeds = list(feed_dict or ())
    if not all(isinstance(feed, tf.Tensor) and feed.dtype != tf.resource for feed in feeds):
        return None
    own = _copy(fetches)
    handler = fetch_handler(graph, own)
    fetched = handler.fetches()
    if not fetched and not handler.targets():
        return None  # nothing is run
    if any(tensor.op.type.startswith("GetSessionHandle") for tensor in fetched):
        return None
    if {tensor.name for tensor in fetched} & {feed.name for feed in feeds}:
        return None
    return Prepared(handler, feeds, own)

"""Runs that a session has made before: what their fetches and feeds mean is found out once.

`BaseSession.run` finds it out in every call, in Python: 0.2 ms for two feeds and three fetches, in which a Session of
TF1 and this one are alike. A run is known again by the very objects that it is given, one after the other; what is not
as plain as it mostly is (names, structures of other kinds, feeds that are no arrays or numbers) goes TensorFlow's way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from tf2towers.runtime.graph_session.private import fetch_handler

_ELEMENTS = (tf.Tensor, tf.Operation, tf.Variable)
#: whose values TensorFlow takes as NumPy has them
_PLAIN = (np.ndarray, np.generic, float, bool)


def known_by(fetches: Any, feed_dict: Any) -> tuple[Any, ...] | None:
    """What a run is known again by, while the objects live; None for one that is not plain."""
    fetched = _structure(fetches)
    if fetched is None or (feed_dict is not None and type(feed_dict) is not dict):
        return None
    return fetched, tuple(map(id, feed_dict or ()))


def _structure(fetches: Any) -> Any:
    """Lists, tuples and dictionaries of operations, tensors and variables; None for anything else."""
    if isinstance(fetches, _ELEMENTS):
        return id(fetches)
    kind = type(fetches)
    if kind not in (list, tuple, dict):
        return None
    parts = [_structure(part) for part in (fetches.values() if kind is dict else fetches)]
    return None if None in parts else (kind, tuple(fetches) if kind is dict else (), *parts)


def _copy(fetches: Any) -> Any:
    """The same structure, which nobody else changes."""
    if isinstance(fetches, dict):
        return {key: _copy(part) for key, part in fetches.items()}
    return type(fetches)(map(_copy, fetches)) if isinstance(fetches, list | tuple) else fetches


class Prepared:
    """A run.

    Attributes:
        fetches: the tensors whose values it returns.
        targets: the operations beside them.
        feeds: the tensors that it is fed.
        key: the names of all.
    """

    def __init__(self, handler: Any, feeds: Sequence[tf.Tensor], fetched: Any) -> None:
        self._handler = handler
        self._fetched = fetched  # as long as it lives, the ids are of its parts
        self._dtypes = [feed.dtype.as_numpy_dtype for feed in feeds]
        self.fetches = [value_of(tensor) for tensor in handler.fetches()]
        self.targets: list[tf.Operation] = handler.targets()
        self.feeds = feeds
        self.key = key_of(self.targets, self.fetches, feeds)

    def values(self, feed_dict: Any) -> list[np.ndarray] | None:
        """What the feeds are given, as `BaseSession._run` converts it; None if it has more to say about a value."""
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
        """The values of the fetches, as the script wants them."""
        return self._handler.build_results(session, values)


def value_of(tensor: Any) -> Any:
    """What is fetched: for the tensor that a variable's name names, 'w:0', the variable's value, as in TF1."""
    if tensor.dtype == tf.resource and tensor.op.type == "VarHandleOp":
        return tensor.graph.get_tensor_by_name(f"{tensor.op.name}/Read/ReadVariableOp:0")
    return tensor


def key_of(
    targets: Sequence[Any], fetches: Sequence[Any], feeds: Sequence[Any]
) -> tuple[tuple[str, ...], ...]:
    """The names of what a run is made of."""
    return tuple(tuple(element.name for element in group) for group in (targets, fetches, feeds))


def prepare(graph: tf.Graph, fetches: Any, feed_dict: Any) -> Prepared | None:
    """A run that has just been made and is known by something, for the next time; None for one that is not plain."""
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

"""Graph collections, one set a tower.

All replicas of a `MirroredStrategy` are traced into one FuncGraph, so they would share its collections. A tower of TF1
code that asks for `tf.get_collection('losses')` must meet its own losses only.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import tensorflow as tf

_v1 = tf.compat.v1


@contextlib.contextmanager
def set_aside() -> Iterator[None]:
    """Empties the string-named collections of the graph in force, and puts them back at the end.

    The variable-scope bookkeeping of `tf.compat.v1` lives in collections with tuple names and is left alone.
    """
    graph = _v1.get_default_graph()
    kept = {name: list(_v1.get_collection(name)) for name in graph.collections if isinstance(name, str)}
    for name in kept:
        graph.clear_collection(name)
    try:
        yield
    finally:
        for name in list(graph.collections):
            if isinstance(name, str):
                graph.clear_collection(name)
        for name, values in kept.items():
            _v1.get_collection_ref(name).extend(values)

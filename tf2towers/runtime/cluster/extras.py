"""What a step computes beside its results, for those who listen: the global step, summaries, a recorder's gradients.

add_extra("losses", lambda: {"total": ...})     called while a replica step is traced, at its end
listen(recorder)                                told after every call of a step, in every thread
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any, Protocol

import tensorflow as tf

_v1 = tf.compat.v1
_of_thread = threading.local()
_everywhere: list[Listener] = []

GLOBAL_STEP = "global_step"
SUMMARIES = "summaries"


class Listener(Protocol):
    """An object that is told of every call of a step."""

    def wants(self, step: Any) -> frozenset[str]:
        """The extras to compute in the call that is about to be made."""

    def heard(self, step: Any, results: Any, extras: dict[str, Any]) -> None:
        """The call has been made: its results, and each extra wanted (None where it has none), as local tensors."""


def _global_step() -> Any:
    """The variable called global_step, after the step's updates."""
    from tf2towers.runtime.variable_store import current_store

    store = current_store()
    return store[GLOBAL_STEP].read_value() if GLOBAL_STEP in store else None


def _merged_summaries() -> Any:
    """`tf.summary.merge_all()` of what the step has summarised."""
    found = _v1.get_collection(_v1.GraphKeys.SUMMARIES)
    return _v1.summary.merge(found) if found else None


_extras: dict[str, Callable[[], Any]] = {GLOBAL_STEP: _global_step, SUMMARIES: _merged_summaries}


def add_extra(name: str, function: Callable[[], Any]) -> None:
    """Makes `function()` an extra called `name`; to be done before the steps that shall have it are first called.

    Args:
        name: any; a second one of the same name takes its place.
        function: called at the end of the replica step being traced, in its graph and in its `VariableStore.scope()`,
            on each replica; returns a nest of tensors, or None. The first replica's comes back.
    """
    _extras[name] = function


def compute(wanted: frozenset[str]) -> dict[str, Any]:
    """The extras called `wanted`, of the function being traced."""
    return {name: _extras[name]() for name in sorted(wanted)}


def listen(listener: Listener) -> None:
    """Tells `listener` of every call of a step, in whatever thread, from now on."""
    _everywhere.append(listener)


@contextlib.contextmanager
def listening_here(listener: Listener) -> Iterator[None]:
    """Tells `listener` of the calls that this thread makes meanwhile."""
    start(listener)
    try:
        yield
    finally:
        stop(listener)


def start(listener: Listener) -> None:
    """Tells `listener` of the calls that this thread makes from now on."""
    _of_thread.__dict__.setdefault("listeners", []).append(listener)


def stop(listener: Listener) -> None:
    """Undoes `start`: the listener is told no more."""
    found = _of_thread.__dict__.get("listeners", [])
    if listener in found:
        found.remove(listener)


def listeners() -> list[Listener]:
    """Who is to be told of this thread's next call."""
    return [*_everywhere, *_of_thread.__dict__.get("listeners", [])]

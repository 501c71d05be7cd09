"""Which function is being traced: the outermost one, for a call that the script makes."""

from __future__ import annotations

from typing import Any

import tensorflow as tf
from tensorflow.python.framework import func_graph


class Tracing:
    """Follows the tracing of functions.

    Attributes:
        wanted: the call under way may be a training step; else nothing is put into a graph.
        trains: an optimizer has been applied since `trains` was set to False.
        draws: how many random numbers each tower (None: outside the towers) has drawn in the graph being traced.
        computed: how often each tower has computed gradients in it.
    """

    def __init__(self) -> None:
        self.wanted = False
        self.trains = False
        self.draws: dict[int | None, int] = {}
        self.computed: dict[int | None, int] = {}
        self._depth = 0
        trace = func_graph.func_graph_from_py_func

        def traced(*args: Any, **kwargs: Any) -> Any:
            if self._depth == 0:
                self.draws, self.computed = {}, {}
            self._depth += 1
            try:
                return trace(*args, **kwargs)
            finally:
                self._depth -= 1

        func_graph.func_graph_from_py_func = traced

    @property
    def outermost(self) -> bool:
        """Whether ops made now are the wanted function's own, not a loop's or a branch's."""
        return self.wanted and self._depth == 1


def tower() -> int | None:
    """The index of the replica whose code is being traced; None outside replicas."""
    context = tf.distribute.get_replica_context() if tf.distribute.has_strategy() else None
    if context is None:
        return None
    index = tf.get_static_value(context.replica_id_in_sync_group)
    return 0 if index is None else int(index)

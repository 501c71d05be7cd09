"""What is being traced: the function of a call that the script makes, or a `tf.function` that it calls once."""

from __future__ import annotations

from typing import Any

import tensorflow as tf
from tensorflow.python.eager.polymorphic_function import polymorphic_function
from tensorflow.python.framework import func_graph
from tensorflow.python.ops.control_flow_v2_func_graphs import ControlFlowFuncGraph, WhileBodyFuncGraph


class Tracing:
    """Follows the tracing of functions.

    Attributes:
        wanted: the call under way may be a training step; else nothing is put into a graph.
        trains: an optimizer has been applied since `trains` was set to False.
        draws: how many random numbers each tower (None: outside the towers) has drawn in the graph being traced.
        computed: how often each tower has computed gradients in it.
        compiled: a function was to be compiled by XLA; none is.
    """

    def __init__(self) -> None:
        self.wanted = False
        self.trains = False
        self.draws: dict[int | None, int] = {}
        self.computed: dict[int | None, int] = {}
        self._depth = 0
        self._branches = 0
        self._loops = 0
        trace = func_graph.func_graph_from_py_func

        def traced(*args: Any, **kwargs: Any) -> Any:
            if self._depth == 0:
                self.draws, self.computed = {}, {}
            branch = isinstance(kwargs.get("func_graph"), ControlFlowFuncGraph)
            loop = isinstance(kwargs.get("func_graph"), WhileBodyFuncGraph)
            self._depth += 1
            self._branches += branch
            self._loops += loop
            try:
                return trace(*args, **kwargs)
            finally:
                self._depth -= 1
                self._branches -= branch
                self._loops -= loop

        func_graph.func_graph_from_py_func = traced
        self.compiled = False
        self._compile_nothing()

    @property
    def outermost(self) -> bool:
        """Whether ops made now are the wanted function's, or one's that it calls, not a loop's or a branch's."""
        return self.wanted and self._depth > 0 and not self._branches

    @property
    def in_loop(self) -> bool:
        """Whether what is traced now may run several times a call."""
        return self._loops > 0

    def _compile_nothing(self) -> None:
        """XLA compiles no Python function, as those that note values are; and it rounds in its own way."""
        function, tracing = polymorphic_function.Function, self
        begin = function.__init__

        def begun(self: Any, *args: Any, **kwargs: Any) -> None:
            begin(self, *args, **kwargs)
            tracing.compiled = tracing.compiled or bool(self._jit_compile)
            self._jit_compile = None

        function.__init__ = begun


def tower() -> int | None:
    """The index of the replica whose code is being traced; None outside replicas."""
    context = tf.distribute.get_replica_context() if tf.distribute.has_strategy() else None
    if context is None:
        return None
    index = tf.get_static_value(context.replica_id_in_sync_group)
    return 0 if index is None else int(index)

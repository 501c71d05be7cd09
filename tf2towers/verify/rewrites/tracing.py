"""Follows which function is being traced, and stores arrays from inside the traced function."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from tf2towers.runtime.patches.private import private
from tf2towers.verify.recorder.wrapping import wrap

_FEATURE = "verify of a TensorFlow 2 program"
_Branch: Any = private("ops.control_flow_v2_func_graphs.ControlFlowFuncGraph", _FEATURE)
_Loop: Any = private("ops.control_flow_v2_func_graphs.WhileBodyFuncGraph", _FEATURE)


class Tracing:
    """Follows the tracing of functions.

    Attributes:
        wanted: whether the current call may be a training step; otherwise nothing is added to graphs.
        applied: the number of times that an optimizer was applied.
        computed: by tower (None: outside the towers), how often gradients were computed in the graph being traced.
        compiled: whether the script asked XLA to compile a function; none is compiled.
    """

    def __init__(self) -> None:
        self.wanted = False
        self.applied = 0
        self.computed: dict[int | None, int] = {}
        self._depth = 0
        self._branches = 0
        self._loops = 0
        self.compiled = False
        wrap(private("framework.func_graph", _FEATURE), "func_graph_from_py_func", self._traced)
        function_class = private("eager.polymorphic_function.polymorphic_function.Function", _FEATURE)
        wrap(function_class, "__init__", self._function_created)

    def _traced(self, trace: Any, *args: Any, **kwargs: Any) -> Any:
        if self._depth == 0:
            self.computed = {}
        branch = isinstance(kwargs.get("func_graph"), _Branch)
        loop = isinstance(kwargs.get("func_graph"), _Loop)
        self._depth += 1
        self._branches += branch
        self._loops += loop
        try:
            return trace(*args, **kwargs)
        finally:
            self._depth -= 1
            self._branches -= branch
            self._loops -= loop

    def _function_created(self, begin: Any, function: Any, *args: Any, **kwargs: Any) -> None:
        """Turns off XLA: it cannot compile Python functions, as those that record values, and rounds differently."""
        begin(function, *args, **kwargs)
        self.compiled = self.compiled or bool(function._jit_compile)
        function._jit_compile = None

    @property
    def outermost(self) -> bool:
        """True if ops made now belong to the wanted function or one that it calls, but not to a loop or branch."""
        return self.wanted and self._depth > 0 and not self._branches

    @property
    def in_loop(self) -> bool:
        """True if the code being traced now may run several times in a call."""
        return self._loops > 0


def tower() -> int | None:
    """The index of the replica whose code is being traced; None outside replicas."""
    context = tf.distribute.get_replica_context() if tf.distribute.has_strategy() else None
    if context is None:
        return None
    index = tf.get_static_value(context.replica_id_in_sync_group)
    return 0 if index is None else int(index)


# -- ops that store values of the recorded step, by Python functions ---------------------------------------------------


class Notes:
    """The arrays of the current training step; nothing is stored during other calls.

    Keys are those of a recording's step file, such as 'loss|0'. Arrays of several replicas under one key are summed.
    """

    def __init__(self) -> None:
        self._now: dict[str, list[np.ndarray]] | None = None

    def begin(self) -> None:
        """Begins a training step."""
        self._now = {}

    def end(self) -> dict[str, np.ndarray]:
        """Ends the step; returns its arrays."""
        found, self._now = self._now or {}, None
        # in an optimizer's order
        return {key: sum(values[1:], values[0]) for key, values in found.items()}

    def op(self, keys: Sequence[str], tensors: Sequence[Any]) -> Any:
        """An op that stores the values of tensors, each under its key."""

        def note(*values: Any) -> None:
            now = self._now
            if now is not None:
                for key, value in zip(keys, values, strict=True):
                    now.setdefault(key, []).append(np.array(value))

        return tf.numpy_function(note, list(tensors), [])

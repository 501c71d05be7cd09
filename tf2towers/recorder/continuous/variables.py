"""The values of every variable that a graph has, read by operations that are made for it."""

from typing import Any, Callable, Dict, Tuple

from .. import graph as graphs
from .writes import VARIABLES


class Variables(object):
    """Of one graph. New variables are noticed."""

    def __init__(self, graph: Any) -> None:
        self._graph = graph
        self._seen, self._version = 0, -1
        self._asks: Dict[str, Tuple[Any, Any]] = {}

    def read(self, run: Callable[[Any], Any], known: Dict[str, bool]) -> Dict[str, Any]:
        """The values of all variables that have one, by the names of their operations.

        Args:
            run: runs fetches in the session.
            known: those that the session has found initialized; added to.
        """
        self._look()
        unknown = [name for name in self._asks if name not in known]
        if unknown:
            ready = run([self._asks[name][0] for name in unknown])
            known.update({name: True for name, is_ready in zip(unknown, ready) if is_ready})
        names = [name for name in self._asks if name in known]
        return dict(zip(names, run([self._asks[name][1] for name in names]))) if names else {}

    def _look(self) -> None:
        if self._graph.version == self._version:
            return
        operations = self._graph.get_operations()
        new = [op for op in operations[self._seen :] if op.type in VARIABLES]
        if new:
            with graphs.beside(self._graph):
                for op in new:
                    if op.name not in self._asks and _is_readable(op):
                        self._asks[op.name] = _questions(self._graph, op)
        self._seen, self._version = len(operations), self._graph.version


def _is_readable(op: Any) -> bool:
    from tensorflow.python.framework import dtypes

    dtype = dtypes.as_dtype(op.get_attr("dtype")).base_dtype
    return dtype.name not in ("resource", "variant") and not dtype.is_quantized


def _questions(graph: Any, op: Any) -> Tuple[Any, Any]:
    """Whether it has a value, and the value."""
    from tensorflow.python.framework import ops
    from tensorflow.python.ops import gen_resource_variable_ops, gen_state_ops

    output = op.outputs[0]
    with ops.device(None), ops.device(op.device):
        if op.type == "VarHandleOp":
            is_there = gen_resource_variable_ops.var_is_initialized_op(output)
            return is_there, gen_resource_variable_ops.read_variable_op(output, op.get_attr("dtype"))
        return gen_state_ops.is_variable_initialized(output), output

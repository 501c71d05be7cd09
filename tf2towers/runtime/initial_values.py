"""What a variable starts with: TF1's initializers in all their forms, drawing what they drew in a TF1 graph."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import tensorflow as tf

_v1 = tf.compat.v1
_NO_ZEROS = 2**31 - 1  # the op seed that TensorFlow takes in place of 0 where the global seed is 0


def outside_every_graph(build: Callable[[], Any]) -> Any:
    """Runs `build` in a thread of its own: eager, on no device, in no strategy, in no name scope of the caller.

    A replica function is traced in a thread that is in replica context even under `tf.init_scope`, where no mirrored
    variable can be made.
    """
    with ThreadPoolExecutor(max_workers=1) as thread:
        return thread.submit(build).result()


def initial_value(name: str, initializer: Any, shape: Any, dtype: Any) -> Callable[[], Any]:
    """`initializer` in any of the forms `get_variable` takes, as a function of nothing.

    Args:
        name: the variable's, for messages.
        initializer: a class, a function of (shape, dtype) or of nothing, a constant of any kind, or a tensor, also of
            the graph being traced, if nothing but constants and random ops went into it.
        shape: the variable's; None where the initializer knows.
        dtype: the variable's, where `shape` is given; else it has the type of its value, as in TF1.

    Raises:
        ValueError: the tensor depends on what the tower is given, or the shape is missing or not fully defined.
    """
    if inspect.isclass(initializer):
        initializer = initializer()
    if not callable(initializer):
        constant = tf.get_static_value(initializer) if tf.is_tensor(initializer) else initializer
        if constant is None:
            return _rebuilt(name, initializer)
        return lambda: tf.convert_to_tensor(constant)
    parameters = inspect.signature(initializer).parameters
    if shape is None:
        if any(p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD for p in parameters.values()):
            raise ValueError(f"variable {name!r}: its initializer needs a shape, and none is given")
        return initializer
    sizes = tf.TensorShape(shape)
    if not sizes.is_fully_defined():
        raise ValueError(f"variable {name!r}: shape {shape} is not fully defined")
    takes_dtype = "dtype" in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    if takes_dtype:
        return lambda: initializer(sizes.as_list(), dtype=dtype)
    return lambda: initializer(sizes.as_list())


def _rebuilt(name: str, tensor: Any) -> Callable[[], Any]:
    """The operations behind `tensor`, to be built once more in another graph."""
    needed: dict[str, Any] = {}
    waiting = [tensor.op]
    while waiting:
        operation = waiting.pop()
        if operation.name in needed:
            continue
        node = operation.node_def
        calls = any(value.HasField("func") for value in node.attr.values())
        if (
            calls
            or node.op == "Placeholder"
            or any(tensor.dtype == tf.resource for tensor in operation.inputs)
        ):
            raise ValueError(
                f"variable {name!r}: its initial value depends on {operation.name!r}, which has none before the tower "
                "runs; give an initializer"
            )
        needed[operation.name] = node
        waiting += [tensor.op for tensor in operation.inputs]
    definition = _v1.GraphDef(node=needed.values(), versions=tensor.graph.graph_def_versions)
    for node in definition.node:
        node.input[:] = [text for text in node.input if not text.startswith("^")]
        node.device = ""
    return lambda: tf.graph_util.import_graph_def(definition, return_elements=[tensor.name], name="")[0]


class Drawing:
    """Computes initial values, each in a function of its own: a random op then draws what it drew first in a TF1 graph.

    Where a global seed is set, an op with no seed of its own gets one from the graph's count of such ops. The count
    goes on from one function to the next; else all variables would start with the same numbers.
    """

    def __init__(self) -> None:
        self._drawn = 0

    def compute(self, value: Callable[[], Any]) -> Any:
        """`value()`, an eager tensor."""

        def after_others() -> Any:
            if not _has_global_seed():
                return value()
            for _ in range(self._drawn):
                _v1.get_seed(None)  # as a random op does
            result = value()
            self._drawn = _v1.get_seed(None)[1] % _NO_ZEROS
            return result

        return tf.function(after_others, autograph=False).get_concrete_function()()


def _has_global_seed() -> bool:
    default = 87654321  # what TensorFlow takes where there is none
    return bool(_v1.get_seed(0)[0] != default)

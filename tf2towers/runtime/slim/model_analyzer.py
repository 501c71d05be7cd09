"""What a graph holds, counted and printed (`tf.contrib.slim.model_analyzer`)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import tensorflow as tf


def tensor_description(var: Any) -> str:
    """Type and shape: `(float32 1x8x8x1024)`."""
    return f"({var.dtype.name} {'x'.join(str(size) for size in var.shape)})"


def analyze_ops(graph: tf.Graph, print_info: bool = False) -> int:
    """The number of elements that the graph's operations give; prints each operation's on request."""
    if print_info:
        _heading("Operations: name -> (type shapes) [size]")
    total = 0
    for operation in graph.get_operations():
        sizes = [_elements(output) for output in operation.outputs]
        if print_info:
            # TF 1 asked a shape for its truth: a scalar's is none
            shapes = [tensor_description(output) for output in operation.outputs if output.shape.rank != 0]
            print(operation.name, "\t->", ", ".join(shapes), f"[{sum(sizes)}]")
        total += sum(sizes)
    return total


def analyze_vars(variables: Iterable[Any], print_info: bool = False) -> tuple[int, int]:
    """The variables' elements and bytes; prints each one's on request."""
    if print_info:
        _heading("Variables: name (type shape) [size]")
    total_size = total_bytes = 0
    for variable in variables:
        size = _elements(variable)
        used = size * variable.dtype.size
        total_size += size
        total_bytes += used
        if print_info:
            print(variable.name, tensor_description(variable), f"[{size}, bytes: {used}]")
    if print_info:
        print(f"Total size of variables: {total_size}")
        print(f"Total bytes of variables: {total_bytes}")
    return total_size, total_bytes


def _heading(text: str) -> None:
    print("---------")
    print(text)
    print("---------")


def _elements(tensor: Any) -> int:
    return tensor.shape.num_elements() or 0

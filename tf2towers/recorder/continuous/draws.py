"""The same random numbers in two programs that build the same graph with other operations beneath it.

TF1 takes the seed of an operation that is given none from the number of operations that the graph has, which is another
one with resource variables, or in another TensorFlow. Here it is taken from the operation's name scope.
"""

import zlib
from typing import Any, Dict

from tf2towers.instrumentation.wrapping import wrap

_FUNCTIONS: Dict[str, int] = {}  # of graphs of functions, by their scopes


def same_draws(seed: int) -> None:
    """Lets operations be seeded by the scopes they are made in, in this process from now on.

    A seed that the script gives an operation, or a graph, counts as ever.

    Args:
        seed: of graphs that have none.
    """
    from tensorflow.python.eager import context
    from tensorflow.python.framework import ops, random_seed

    def get_seed(own: Any, op_seed: Any) -> Any:
        graph = ops.get_default_graph()
        if context.executing_eagerly() or op_seed is not None:
            return own(op_seed)
        return own(_of_scope(graph, seed)) if graph.seed is not None else (seed + 1, _of_scope(graph, seed))

    wrap(random_seed, "get_seed", get_seed)


def _of_scope(graph: Any, seed: int) -> int:
    """The seed of the next operation that draws in the graph's present scope."""
    scope = graph._name_stack or ""
    if type(graph).__name__ == "Graph":
        counts = getattr(graph, "_tf2towers_draws", None)
        if counts is None:
            counts = graph._tf2towers_draws = {}
    else:  # of a function: a new graph each time
        counts = _FUNCTIONS
    counts[scope] = counts.get(scope, 0) + 1
    text = "%s:%d:%d" % (scope, counts[scope], seed)
    return (zlib.crc32(text.encode("utf-8")) & 0x7FFFFFFE) + 1

"""The seeds of a run, the same in `verify` and `compare`: Python's, NumPy's and TensorFlow's global generators.

What a script seeds itself comes later and counts. Runs on Python 3.6 and TensorFlow 1.12 or later.
"""

import random
import zlib
from typing import Any, Dict

from .wrapping import wrap

SEED = 0  # unless the user gives another


def fix_seeds(seed: int) -> None:
    """Python's and NumPy's global generators, which a script may draw its batches from.

    A script that seeds one of them afresh, with nothing, gets this seed as well: its batches would be new in each run.
    """
    import numpy as np

    def not_afresh(own: Any, *args: Any, **kwargs: Any) -> Any:
        is_given = any(value is not None for value in (*args, *kwargs.values()))
        return own(*args, **kwargs) if is_given else own(seed)

    for generator in (random, np.random):
        wrap(generator, "seed", not_afresh)
        generator.seed(seed)


def fix_graph_seeds(tf: Any, seed: int) -> None:
    """Gives each graph a seed, which the script may replace: what TF draws is then the same from run to run.

    Args:
        tf: the TF1 module, `tensorflow` or `tensorflow.compat.v1`.
        seed: of the default graph, and of those that are made from now on.
    """

    def seeded(begin: Any, graph: Any, *args: Any, **kwargs: Any) -> None:
        begin(graph, *args, **kwargs)
        if type(graph) is tf.Graph:  # a function's graph has its seed from elsewhere
            graph.seed = seed

    wrap(tf.Graph, "__init__", seeded)
    tf.get_default_graph().seed = seed


# -- the same random numbers in two programs that build the same graph with other operations beneath it ----------------
# TF1 takes the seed of an operation that is given none from the number of operations that the graph has. That is
# another one with resource variables, or in another TensorFlow. Here it is taken from the operation's name scope.

_FUNCTIONS: Dict[str, int] = {}  # of graphs of functions, by their scopes


def same_draws(seed: int) -> None:
    """Lets operations be seeded by the scopes they are made in, in this process from now on.

    A seed that the script gives an operation, or a graph, counts as ever.

    Args:
        seed: of graphs that have none.
    """
    import tensorflow
    from tensorflow.python.eager import context
    from tensorflow.python.framework import ops, random_seed

    def get_seed(own: Any, op_seed: Any) -> Any:
        graph = ops.get_default_graph()
        if context.executing_eagerly() or op_seed is not None:
            return own(op_seed)
        return own(_of_scope(graph, seed)) if graph.seed is not None else (seed + 1, _of_scope(graph, seed))

    # the public name may be bound to the function already
    wrap(random_seed, "get_seed", get_seed)
    if hasattr(tensorflow, "compat"):
        wrap(tensorflow.compat.v1, "get_seed", get_seed)


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

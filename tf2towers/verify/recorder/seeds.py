"""The seeds of a run, the same in `verify` and `compare`: for the global generators of Python, NumPy and TensorFlow.

A script's own seeds are set later, and win. Runs on Python 3.6 and TensorFlow 1.12 or later.
"""

import random
import zlib
from typing import Any, Dict

from .wrapping import wrap

SEED = 0  # the seed of every run


def fix_seeds() -> None:
    """Seeds Python's and NumPy's global generators, from which a script may draw its batches.

    A script's call `seed()` without a value also gets this seed; otherwise its batches would be new in each run.
    """
    import numpy as np

    def not_afresh(own: Any, *args: Any, **kwargs: Any) -> Any:
        is_given = any(value is not None for value in (*args, *kwargs.values()))
        return own(*args, **kwargs) if is_given else own(SEED)

    for generator in (random, np.random):
        wrap(generator, "seed", not_afresh)
        generator.seed(SEED)


def fix_graph_seeds(tf: Any) -> None:
    """Gives each graph a seed, which the script may replace, so that TensorFlow draws the same numbers in each run.

    Args:
        tf: the TF1 module, `tensorflow` or `tensorflow.compat.v1`.
    """

    def seeded(begin: Any, graph: Any, *args: Any, **kwargs: Any) -> None:
        begin(graph, *args, **kwargs)
        if type(graph) is tf.Graph:  # the graph of a function gets its seed elsewhere
            graph.seed = SEED

    wrap(tf.Graph, "__init__", seeded)
    tf.get_default_graph().seed = SEED


# -- equal random numbers in two programs that build the same graph with different ops underneath ----------------------
# TF1 derives the seed of an op that is given none from the number of ops in the graph. That number differs with
# resource variables, or in another TensorFlow. Here the seed is derived from the op's name scope.

_FUNCTIONS: Dict[str, int] = {}  # for graphs of functions, the number of draws by scope


def same_draws() -> None:
    """From now on, derives the seeds of ops in this process from the scopes in which they are made.

    A seed that the script gives to an op or a graph is still used. Loops make one iteration after the other: where
    several run at once, as TF1's do, they share an op's random numbers by chance (dropout in a recurrent cell).
    """
    import tensorflow
    from tensorflow.python.eager import context
    from tensorflow.python.framework import ops, random_seed
    from tensorflow.python.ops.control_flow_ops import WhileContext

    def begin(
        own: Any,
        loop: Any,
        maximum_iterations: Any = None,
        parallel_iterations: int = 10,
        *more: Any,
        **given: Any,
    ) -> None:
        own(loop, maximum_iterations, 1, *more, **given)

    def get_seed(own: Any, op_seed: Any) -> Any:
        graph = ops.get_default_graph()
        if context.executing_eagerly() or op_seed is not None:
            return own(op_seed)
        return own(_of_scope(graph)) if graph.seed is not None else (SEED + 1, _of_scope(graph))

    # the public name may already refer to the original function
    wrap(random_seed, "get_seed", get_seed)
    wrap(WhileContext, "__init__", begin)
    if hasattr(tensorflow, "compat"):
        wrap(tensorflow.compat.v1, "get_seed", get_seed)


def _of_scope(graph: Any) -> int:
    """The seed of the next op that draws in the graph's current scope."""
    scope = graph._name_stack or ""
    if type(graph).__name__ == "Graph":
        counts = getattr(graph, "_tf2towers_draws", None)
        if counts is None:
            counts = graph._tf2towers_draws = {}
    else:  # a function's graph is new each time
        counts = _FUNCTIONS
    counts[scope] = counts.get(scope, 0) + 1
    text = "%s:%d:%d" % (scope, counts[scope], SEED)
    return (zlib.crc32(text.encode("utf-8")) & 0x7FFFFFFE) + 1

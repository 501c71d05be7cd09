"""The seeds of a run, the same in `verify` and `compare`: Python's, NumPy's and TensorFlow's global generators.

What a script seeds itself comes later and counts. Runs on Python 3.6 and TensorFlow 1.12 or later.
"""

import random
from typing import Any

from tf2towers.instrumentation.wrapping import wrap

SEED = 0  # unless the user gives another


def fix_seeds(seed: int) -> None:
    """Python's and NumPy's global generators, which a script may draw its batches from."""
    random.seed(seed)
    import numpy as np

    np.random.seed(seed)


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

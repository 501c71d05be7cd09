"""The same seeds on both sides, where the script sets none."""

import random
from typing import Any

#: TF's own stand-in for a graph seed (tensorflow/python/framework/random_seed.py, DEFAULT_GRAPH_SEED). With it as the
#: graph's seed an op that has a seed draws what it draws without one, and an op that has none becomes reproducible.
SEED = 87654321


def seed_python() -> None:
    """Python's generator; Keras 3 takes its seeds from it."""
    random.seed(SEED)


def seed_numpy(np: Any) -> None:
    """NumPy's global generator."""
    np.random.seed(SEED)


def seed_tensorflow(tf: Any) -> None:
    """Every graph that is made from now on, the default one, and eager execution."""
    v1 = getattr(getattr(tf, "compat", None), "v1", None) or tf
    make = v1.Graph.__init__

    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        make(self, *args, **kwargs)
        if type(self) is v1.Graph:  # a function's graph has its seed from elsewhere
            self.seed = SEED

    v1.Graph.__init__ = init
    if hasattr(tf.random, "set_seed"):
        tf.random.set_seed(SEED)
    else:
        v1.set_random_seed(SEED)

"""Standalone Keras 2 (`import keras`) in a TF1 graph: tf_keras with the names and the seeds that Keras 2.2.4 had there.

What is served, and was measured with Keras 2.2.4 on TensorFlow 1.15, is in tf2towers/codemod/data/standalone_keras.tsv.
"""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from tf2towers.runtime.graph_session.patch import Patch, patch

# the look at tf_keras comes before tf_keras
# isort: off
from tf2towers.runtime.tf1 import keras as _keras
from tf2towers.runtime.tf1.keras import *  # noqa: F403 - a face, not a copy
from tf_keras.src import backend as _backend
from tf_keras.src import initializers as _initializers
from tf_keras.src.engine import base_layer, base_layer_v1, functional

# isort: on


@patch(
    "Keras 2.2.4: engine/base_layer.py, backend/tensorflow_backend.py",
    "tests/runtime/tf1/test_standalone_keras.py",
)
def layers_are_keras2s(changes: Patch) -> None:
    """Numbers layers from 1 (`dense_1`), and draws the seeds of initial values and dropout from NumPy.

    tf.keras begins with `dense`, and leaves operations without a seed to TensorFlow.
    """
    for owner in (base_layer.Layer, base_layer_v1.Layer, functional.Functional):
        changes.set(owner, "_init_set_name", _from_one(owner._init_set_name))
    add_weight = base_layer_v1.Layer.add_weight

    @wraps(add_weight)
    def add(
        layer: Any,
        name: Any = None,
        shape: Any = None,
        dtype: Any = None,
        initializer: Any = None,
        **options: Any,
    ) -> Any:
        start = copy.copy(_initializers.get(initializer))
        if getattr(start, "seed", 0) is None:
            start.seed = _seed()
        if hasattr(start, "scale") and len(shape) == 1:  # a vector counts for the root of its size there
            start.scale *= shape[0] ** 0.5
        return add_weight(layer, name, shape, dtype, start, **options)

    changes.set(base_layer_v1.Layer, "add_weight", add)
    seed_of_generator = _backend.RandomGenerator.make_legacy_seed

    def make_seed(generator: Any) -> int:
        seed = seed_of_generator(generator)
        return _seed() if seed is None else seed

    changes.set(_backend.RandomGenerator, "make_legacy_seed", make_seed)


def _from_one(plain: Callable[..., None]) -> Callable[..., None]:
    @wraps(plain)
    def init_set_name(layer: Any, name: str | None, zero_based: bool = False) -> None:
        plain(layer, name, zero_based=False)

    return init_set_name


def _seed() -> int:
    return int(np.random.randint(10**7))


layers_are_keras2s()
objectives = sys.modules[f"{_keras.__name__}.losses"]  # its older name
sys.modules[f"{__name__}.objectives"] = objectives
for _name, _module in list(sys.modules.items()):
    if _name.startswith(f"{_keras.__name__}."):
        sys.modules[__name__ + _name[len(_keras.__name__) :]] = _module

"""`tf.keras` of TensorFlow 1, as tf_keras has it, with its modules (`from ...tf1.keras.layers import Dense`).

All that this package takes from tf_keras comes by way of this module, which looks whether it is the right one.
"""

from __future__ import annotations

import sys
from functools import wraps
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import tensorflow as tf


def _check_release() -> None:
    """Raises ImportError where tf_keras is not there, or of another release than TensorFlow."""
    tensorflow = version("tensorflow")
    release = ".".join(tensorflow.split(".")[:2])
    try:
        found = version("tf_keras")
    except PackageNotFoundError:
        found = ""
    if ".".join(found.split(".")[:2]) != release:
        there = f"tf_keras {found} is installed" if found else "tf_keras is not installed"
        raise ImportError(
            f"{there}, and TensorFlow {tensorflow} needs tf_keras {release}: pip install 'tf_keras=={release}.*'"
        )


_check_release()

# tf_keras asks here alone whether to be that of TensorFlow 1, or its successor: other names, defaults, virtual batches.
# TensorFlow itself, whose strategies are those of TensorFlow 2, asks elsewhere.
tf.compat.v2.__internal__.tf2.enabled = lambda: False

import tf_keras.api._v1.keras as _tf_keras  # noqa: E402
from tf_keras.api._v1.keras import *  # noqa: E402, F403 - a face, not a copy
from tf_keras.src import backend as _backend  # noqa: E402
from tf_keras.src.layers.normalization.batch_normalization import BatchNormalizationBase  # noqa: E402

from tf2towers.runtime.graph_session.private import managers_make_our_sessions  # noqa: E402


def _fuse_norms_of_four_dimensions_alone() -> None:
    """Keeps five dimensions from the fused kernel of batch normalization, whose moving variance is the unbiased one.

    TensorFlow 1.15 fused four dimensions alone; tf_keras fuses five as well, so that a moving variance of 54 values
    was 54/53 as far from where it began.
    """
    plain = BatchNormalizationBase.build

    @wraps(plain)
    def build(layer: Any, input_shape: Any) -> None:
        if len(input_shape) == 5:
            layer.fused = False
        plain(layer, input_shape)

    BatchNormalizationBase.build = build


def _draw_by_the_same_seed() -> None:
    """Lets a layer with a seed draw by it at each of its calls, as in TensorFlow 1.15: the same mask in each tower.

    tf_keras counts it up, from call to call.
    """

    def make_legacy_seed(generator: Any) -> Any:
        return generator._seed

    _backend.RandomGenerator.make_legacy_seed = make_legacy_seed


def _run_on_our_sessions() -> None:
    """Lets Keras's own session, which trains and predicts and initializes variables, be one of the runtime's."""
    from tf2towers.runtime.graph_session.session import Session

    plain = _backend._get_session

    @wraps(plain)
    def get_session(op_input_list: Any = ()) -> Any:
        if tf.compat.v1.get_default_session() is None and not tf.inside_function():
            graph = _backend._current_graph(op_input_list)
            known = getattr(_backend._SESSION, "session", None)
            if known is None or known.graph is not graph:
                _backend._SESSION.session = Session(graph=graph, config=_backend.get_default_session_config())
        return plain(op_input_list)

    _backend._get_session = get_session


_fuse_norms_of_four_dimensions_alone()
_draw_by_the_same_seed()
if managers_make_our_sessions():  # in a migrated script, not in an original that is recorded
    _run_on_our_sessions()

for _name, _module in list(sys.modules.items()):
    if _name.startswith(f"{_tf_keras.__name__}."):
        sys.modules[__name__ + _name[len(_tf_keras.__name__) :]] = _module

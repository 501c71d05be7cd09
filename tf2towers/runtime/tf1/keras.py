"""`tf.keras` of TensorFlow 1, as tf_keras has it, and its modules: `from tf2towers.runtime.tf1.keras.layers import Dense`.

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
from tf_keras.src.layers.normalization.batch_normalization import BatchNormalizationBase  # noqa: E402


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


_fuse_norms_of_four_dimensions_alone()

for _name, _module in list(sys.modules.items()):
    if _name.startswith(f"{_tf_keras.__name__}."):
        sys.modules[__name__ + _name[len(_tf_keras.__name__) :]] = _module

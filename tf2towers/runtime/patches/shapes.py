"""Shapes and their sizes."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as _v1  # before this import, `tf.compat.v1` is another object

from tf2towers.runtime.patches.patch import Patch, patch


@patch(
    "a size that is a whole float",
    source="framework/tensor_shape.py, Dimension.__init__",
    test="tests/soundness/scripts/sessions/variables.py",
)
def whole_floats_are_sizes(changes: Patch) -> None:
    """Lets `tf.get_variable("w", [n / 2, 10])` take a size that is a whole float, as in TF1; 4.5 is still an error."""

    @changes.around(_v1.Dimension, "__init__")
    def whole(plain: Any, self: Any, value: Any) -> None:
        is_whole = isinstance(value, float | np.floating) and value == int(value)
        plain(self, int(value) if is_whole else value)


@patch(
    "the comparison of shapes",
    source="framework/tensor_shape.py, TensorShape.__eq__",
    test="tests/runtime/patches/test_private.py",
)
def unknown_sizes_are_not_equal(changes: Patch) -> None:
    """Makes `shortcut.shape == inputs.shape` False if a size is unknown, as in TF1, since the sizes may differ.

    A block that projects its shortcut where the shapes differ would otherwise lack the projection. A shape is equal to
    itself.

    TensorFlow 2.21's specs of tensors, variables and datasets compare shapes by `==`, to decide whether a function or a
    dataset fits; TF 1.15's compared tuples of sizes. For them `[None, 3]` must stay equal to `[None, 3]`. A script and
    TensorFlow compare the same objects, so only the caller tells the two cases apart. Therefore the module of the
    calling frame is checked, if the shapes are alike and have an unknown size. The codemod cannot mark the script's
    comparisons: shapes reach them through names, lists and helpers of the script.
    """
    plain = tf.TensorShape.__eq__

    def certainly_equal(self: Any, other: Any) -> Any:
        equal = plain(self, other)
        if equal is not True or self is other or None not in (self.as_list() if self.rank else ()):
            return equal
        asking = str(sys._getframe(1).f_globals.get("__name__")).partition(".")[0]
        return asking in ("tensorflow", "keras", "tf_keras", "tf2towers")

    changes.set(tf.TensorShape, "__eq__", certainly_equal)

"""Shapes and their sizes."""

from __future__ import annotations

import threading
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
    """Lets `tf.get_variable("w", [n / 2, 10])` take a whole float, as TF1; 4.5 is an error."""

    @changes.around(_v1.Dimension, "__init__")
    def whole(plain: Any, self: Any, value: Any) -> None:
        is_whole = isinstance(value, float | np.floating) and value == int(value)
        plain(self, int(value) if is_whole else value)


@patch(
    "the comparison of shapes",
    source="framework/tensor_shape.py, TensorShape.__eq__; framework/type_spec.py, TypeSpec.__get_cmp_key",
    test="tests/runtime/patches/test_private.py",
)
def unknown_sizes_are_not_equal(changes: Patch) -> None:
    """Makes `shortcut.shape == inputs.shape` False if a size is unknown, as in TF1.

    A block that projects its shortcut where the shapes differ would otherwise lack the projection.
    A shape is equal to itself, and to what `tf.TensorShape` makes of it.

    By the specs of tensors, variables and datasets TensorFlow decides whether a function or a
    dataset fits. TF 1.15 compared their sizes, and TensorFlow 2.21 compares their shapes by `==`.
    In a comparison of specs `[None, 3]` is therefore equal to `[None, 3]`. Nothing else in
    TensorFlow or tf_keras needs that.
    """
    plain = tf.TensorShape.__eq__
    specs = threading.local()

    def certainly_equal(self: Any, other: Any) -> Any:
        equal = plain(self, other)
        if equal is not True or getattr(specs, "are_compared", False):
            return equal
        # `tf.TensorShape(x)` takes the sizes of x
        same_sizes = getattr(self, "_dims", self) is getattr(other, "_dims", other)
        return same_sizes or None not in (self.as_list() if self.rank else ())

    changes.set(tf.TensorShape, "__eq__", certainly_equal)
    variables = changes.private("ops.resource_variable_ops.VariableSpec")
    for spec in (tf.TypeSpec, tf.TensorSpec, tf.data.DatasetSpec, variables):

        @changes.around(spec, "__eq__")
        def by_sizes(plain_of_spec: Any, self: Any, other: Any) -> Any:
            outer = getattr(specs, "are_compared", False)
            specs.are_compared = True
            try:
                return plain_of_spec(self, other)
            finally:
                specs.are_compared = outer

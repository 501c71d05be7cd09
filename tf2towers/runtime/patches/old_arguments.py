"""Arguments of releases before TensorFlow 1.15."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import tensorflow as tf
import tensorflow.compat.v1 as _v1  # before this import, `tf.compat.v1` is another object

from tf2towers.runtime.patches.patch import Patch, patch


@patch(
    "tf.nn.nce_loss and sampled_softmax_loss",
    source="release notes of TensorFlow 1.0: labels before inputs",
    test="tests/runtime/test_old_arguments.py",
    serves=(
        "nn.nce_loss",
        "nn.sampled_softmax_loss",
    ),
)
def sampled_losses_take_both_orders(changes: Patch) -> None:
    """Lets `nce_loss` and `sampled_softmax_loss` take `inputs` before `labels`, as TF 0.12.

    TF1 accepts neither integers as inputs nor floats as labels: such arguments are swapped.
    """
    nn = changes.private("ops.nn")
    nn_impl = changes.private("ops.nn_impl")

    def loss(
        plain: Any, weights: Any, biases: Any, labels: Any, inputs: Any, *arguments: Any, **options: Any
    ) -> Any:
        labels, inputs = tf.convert_to_tensor(labels), tf.convert_to_tensor(inputs)
        if labels.dtype.is_floating and inputs.dtype.is_integer:
            labels, inputs = inputs, labels
        return plain(weights, biases, labels, inputs, *arguments, **options)

    for name in ("nce_loss", "sampled_softmax_loss"):
        changes.around(_v1.nn, name, nn_impl, nn)(loss)


@patch(
    "tf.uniform_unit_scaling_initializer",
    source="TensorFlow 0.12: ops/init_ops.py, uniform_unit_scaling_initializer",
    test="tests/runtime/test_old_arguments.py",
)
def shards_are_scaled_as_the_whole(changes: Patch) -> None:
    """Lets `uniform_unit_scaling_initializer` scale by `full_shape`, of the whole matrix."""
    kind = _v1.uniform_unit_scaling_initializer

    @changes.around(kind, "__init__")
    def make(
        plain: Any,
        self: Any,
        factor: Any = 1.0,
        seed: Any = None,
        dtype: Any = tf.float32,
        full_shape: Any = None,
    ) -> None:
        plain(self, factor, seed, dtype)
        self._whole = None if full_shape is None else SimpleNamespace(full_shape=full_shape)

    @changes.around(kind, "__call__")
    def initialize(compute: Any, self: Any, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        return compute(self, shape, dtype, getattr(self, "_whole", None) or partition_info)


@patch(
    "tf.tuple",
    source="ops/control_flow_ops.py, tuple",
    test="tests/runtime/test_old_arguments.py",
    serves=("tuple:control_inputs",),
)
def tuples_wait_for_assignments(changes: Patch) -> None:
    """Lets `tf.tuple` wait for variables and results of assignments, tensors in TF1."""

    @changes.around(_v1, "tuple", changes.private("ops.control_flow_ops"))
    def waiting(plain: Any, tensors: Any, name: str | None = None, control_inputs: Any = None) -> Any:
        return plain(tensors, name, [getattr(given, "op", given) for given in control_inputs or ()])

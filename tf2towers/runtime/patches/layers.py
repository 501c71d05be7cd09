"""Neural networks: batch norm, convolutions and padding."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as _v1  # before this import, `tf.compat.v1` is another object

from tf2towers.runtime.patches.patch import Patch, patch


@patch(
    "fused batch norm",
    source="ops/nn_impl.py, fused_batch_norm",
    test="tests/functions/programs/neural_networks.py",
    serves=("nn.fused_batch_norm",),
)
def epsilons_of_fused_norms_are_tf1s(changes: Patch) -> None:
    """Makes fused batch normalization use 1.001e-5 for a smaller epsilon, as TensorFlow 1 did.

    `tf.nn.fused_batch_norm`, `tf.layers` and slim all call this one function of TensorFlow.
    """

    @changes.around(changes.private("ops.gen_nn_ops"), "fused_batch_norm_v3")
    def of_that_epsilon(plain: Any, *args: Any, epsilon: float = 0.0001, **kwargs: Any) -> Any:
        return plain(*args, epsilon=max(epsilon, 1.001e-5), **kwargs)


@patch(
    "tf.nn.conv2d_transpose",
    source="core/ops/nn_ops.cc, Conv2DBackpropInput",
    test="tests/runtime/test_old_arguments.py",
    serves=(
        "nn.conv2d_transpose",
        "nn.conv2d_backprop_input",
    ),
)
def transposed_convolutions_have_whole_shapes(changes: Patch) -> None:
    """Sets the requested shape as the static one of a transposed convolution, as in TF 1.15.

    TF 2 leaves the batch size unknown if the input's is: `conv2d_transpose` of `[None, 4, 4, 8]` to
    `[16, 8, 8, 3]` is `(None, 8, 8, 3)`, and `int(h.get_shape()[0])` fails. Measured with TF
    1.15.5, 2.15.1 and 2.21.0. Convolutions of one dimension and dilated ones use the same op; those
    of three dimensions behave alike in all three versions.
    """

    @changes.around(changes.private("ops.gen_nn_ops"), "conv2d_backprop_input")
    def shaped(plain: Any, *arguments: Any, **options: Any) -> Any:
        result = plain(*arguments, **options)
        if not tf.executing_eagerly():
            known = tf.get_static_value(result.op.inputs[0], partial=True)
            if known is not None:
                result.set_shape(known)
        return result


@patch(
    "tf.pad",
    source="TensorFlow 2.21: grappler/optimizers/remapper.cc, a Pad before a Conv3D",
    test="tests/runtime/test_old_arguments.py",
)
def sizes_of_padding_are_int32(changes: Patch) -> None:
    """Makes the paddings of `tf.pad` int32: int64 before a `conv3d` aborts the process in TF 2.

    It folds the padding into a VALID `conv3d` on a CPU, and reads the numbers as int32 without a
    look at their type.
    """

    @changes.around(_v1, "pad", changes.private("ops.array_ops"))
    def pad(plain: Any, tensor: Any, paddings: Any, *arguments: Any, **options: Any) -> Any:
        if getattr(paddings, "dtype", None) in (tf.int64, np.int64):
            known = tf.get_static_value(paddings) if tf.is_tensor(paddings) else paddings
            paddings = tf.cast(paddings, tf.int32) if known is None else np.asarray(known, np.int32)
        return plain(tensor, paddings, *arguments, **options)

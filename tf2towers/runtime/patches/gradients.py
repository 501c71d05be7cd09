"""Gradients and sums of rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf
import tensorflow.compat.v1 as _v1  # before this import, `tf.compat.v1` is another object

from tf2towers.runtime.patches.patch import Patch, patch


@patch(
    "tf.gradients",
    source="ops/variables.py, RefVariable.value",
    test="tests/soundness/scripts/sessions/variables.py",
    serves=("gradients",),
)
def gradients_by_values_are_the_variables(changes: Patch) -> None:
    """Makes `tf.gradients(loss, variable.value())` that by the variable: TF1 read one tensor.

    Here each use of a variable has its own read op, and the loss may depend on other reads than
    this one.
    """

    def handle_of(tensor: Any) -> Any:
        operation = tensor.op if isinstance(tensor, tf.Tensor) and not tf.executing_eagerly() else None
        if operation is not None and operation.type == "ReadVariableOp":
            return operation.inputs[0] if operation.inputs[0].op.type == "VarHandleOp" else tensor
        return tensor

    @changes.around(changes.private("ops.gradients_util"), "_GradientsHelper")
    def of_variables(plain: Any, ys: Any, xs: Any, *arguments: Any, **options: Any) -> Any:
        several = [handle_of(x) for x in xs] if isinstance(xs, list | tuple) else handle_of(xs)
        return plain(ys, several, *arguments, **options)


@patch(
    "tf.identity of tf.IndexedSlices",
    source="ops/array_ops.py, identity and stop_gradient",
    test="tests/functions/programs/training.py",
)
def copies_of_rows_are_dense(changes: Patch) -> None:
    """Makes `tf.identity` and `tf.stop_gradient` of `tf.IndexedSlices` dense, as in TF1.

    In TF 2 they return `tf.IndexedSlices`: an optimizer with slots then updates those rows only,
    and TF1's all rows.
    """

    def dense(function: Callable[..., tf.Tensor]) -> None:
        def of_all_rows(input: Any, name: str | None = None) -> tf.Tensor:  # noqa: A002 - TensorFlow's name
            return function(tf.convert_to_tensor(input), name)

        tf.experimental.dispatch_for_api(function, {"input": tf.IndexedSlices})(of_all_rows)
        changes.on_undo(lambda: tf.experimental.unregister_dispatch_for(of_all_rows))

    dense(tf.identity)
    dense(tf.stop_gradient)


@patch(
    "a gradient of tf.sparse_segment_sum",
    source="ops/math_grad.py, _SparseSegmentSumGrad",
    test="tests/functions/programs/mathematics.py",
    serves=(
        "sparse_segment_sum",
        "sparse_segment_mean",
        "sparse_segment_sqrt_n",
        "nn.embedding_lookup_sparse",
    ),
)
def sums_over_no_rows_have_no_gradient(changes: Patch) -> None:
    """Makes the gradients of `tf.sparse_segment_sum` and its kin zero if no row is chosen.

    In TF 2.21 that gradient is uninitialized memory.
    """

    def zeros_of_no_rows(plain: Any, operation: Any, *above: Any) -> Any:
        rows, *others = plain(operation, *above)
        if isinstance(rows, tf.Tensor):  # `tf.IndexedSlices` without rows need no change
            rows = tf.where(tf.size(operation.inputs[1]) > 0, rows, tf.zeros_like(rows))
        return (rows, *others)

    known = _gradients(changes)
    for name in ("SparseSegmentSum", "SparseSegmentMean", "SparseSegmentSqrtN"):
        for operation in (name, f"{name}WithNumSegments"):
            changes.around(changes.get(known, operation), "type")(zeros_of_no_rows)


@patch(
    "a second gradient of tf.sparse_segment_sum",
    source="ops/math_grad.py, _SparseSegmentSumGrad",
    test="tests/runtime/patches/test_private.py",
)
def sums_over_rows_have_second_gradients(changes: Patch) -> None:
    """Registers a gradient for the gradient of `tf.sparse_segment_sum`: a sum over the same rows.

    In TF 2.21 the gradient of `tf.sparse_segment_sum` is a single op, without a registered
    gradient.
    """
    known = _gradients(changes)
    if "SparseSegmentSumGrad" in known:
        return

    def sum_over_the_same_rows(operation: Any, above: Any) -> Any:
        gradient, places, segments, _ = operation.inputs
        segment_count = tf.shape(gradient)[0]
        sums = tf.sparse.segment_sum(above, places, segments, num_segments=segment_count)
        return (sums, None, None, None)

    tf.RegisterGradient("SparseSegmentSumGrad")(sum_over_the_same_rows)
    changes.on_undo(lambda: known.pop("SparseSegmentSumGrad"))


def _gradients(changes: Patch) -> dict[str, dict[str, Any]]:
    """Returns TensorFlow's table of gradient functions by the type of the operation."""
    known: dict[str, dict[str, Any]] = changes.get(
        changes.private("framework.ops._gradient_registry"), "_registry"
    )
    return known


@patch(
    "tf.nn.embedding_lookup_sparse",
    source="ops/embedding_ops.py, embedding_lookup_sparse",
    test="tests/functions/programs/neural_networks.py",
    serves=("nn.embedding_lookup_sparse",),
)
def sums_of_half_embeddings_are_float32(changes: Patch) -> None:
    """Makes `tf.nn.embedding_lookup_sparse` of float16 or bfloat16 return float32, as in TF1.

    TF1 cast the rows to float32 and combined them in it; TF 2 rounds the result, or adds up in half
    precision.
    """

    @changes.around(changes.private("ops.embedding_ops"), "embedding_lookup_sparse_impl")
    def of_float32(plain: Any, params: Any, *arguments: Any) -> Any:
        if tf.as_dtype(getattr(params[0], "dtype", tf.float32)) in (tf.float16, tf.bfloat16):
            segments, weights, ids, combiner, ignored, max_norm, fast, partition, name = arguments
            ids, places = tf.unique(ids)
            rows = _v1.nn.embedding_lookup(params, ids, partition, max_norm=max_norm)
            params = [tf.cast(rows, tf.float32)]
            arguments = segments, weights, places, combiner, ignored, None, fast, partition, name
        return plain(params, *arguments)

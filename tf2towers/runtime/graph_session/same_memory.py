"""Which operations give their input's own memory: what is fetched of a variable through them is what updates left."""

from __future__ import annotations

from collections.abc import Sequence

import tensorflow as tf

#: they never copy
_NEVER_COPY = frozenset(
    {
        "Bitcast", "CheckNumerics", "EnsureShape", "ExpandDims", "Identity", "PlaceholderWithDefault",
        "PreventGradient", "Reshape", "Squeeze", "StopGradient",
    }
)  # fmt: skip
#: they give their input where they would give as much as it has, in its order
_WHOLE = frozenset({"BroadcastTo", "Pad", "PadV2", "Slice", "StridedSlice", "Tile", "Transpose", "Unpack"})
#: rows of so many bytes, or a multiple, are not copied: they begin where a tensor's memory may
_ALIGNED = 64


def is_same_memory(kind: str, operation: tf.Operation | None) -> bool:
    """Whether the first output of an operation of this kind is the memory of its first input, in TF 1.15 and today."""
    if kind in _NEVER_COPY:
        return True
    if kind not in _WHOLE or operation is None:
        return False
    given, made = operation.inputs[0].shape, operation.outputs[0].shape
    if not given.is_fully_defined() or not made.is_fully_defined() or given.rank == 0:
        return False
    if kind == "Unpack":
        return operation.get_attr("axis") == 0 and (given[0] == 1 or _is_aligned(operation.inputs[0]))
    if kind == "Transpose":
        order = tf.get_static_value(operation.inputs[1])
        return given.rank == 1 or (order is not None and list(order) == list(range(given.rank)))
    if kind == "StridedSlice" and not _goes_forward(operation):
        return False
    if given.num_elements() == made.num_elements():
        return True
    return kind in ("Slice", "StridedSlice") and _is_aligned(operation.inputs[0]) and _takes_rows(operation)


def _is_aligned(tensor: tf.Tensor) -> bool:
    """Whether each row of a tensor, along its first axis, has a number of bytes that memory is aligned to."""
    row = tensor.shape[1:].num_elements() * tensor.dtype.base_dtype.size
    return row > 0 and row % _ALIGNED == 0


def _goes_forward(operation: tf.Operation) -> bool:
    """Whether a slice has no steps: what it takes is in its input's order."""
    strides = tf.get_static_value(operation.inputs[3])
    return strides is not None and all(stride == 1 for stride in strides)


def _takes_rows(operation: tf.Operation) -> bool:
    """Whether a slice takes of its input whole rows: one, or some that lie side by side."""
    sizes: Sequence[int] = operation.inputs[0].shape.as_list()
    begin = tf.get_static_value(operation.inputs[1])
    end = tf.get_static_value(operation.inputs[2])
    if begin is None or end is None:
        return False
    if operation.type == "Slice":
        return all(first == 0 for first in begin[1:]) and operation.outputs[0].shape[1:] == sizes[1:]
    if operation.get_attr("ellipsis_mask") or operation.get_attr("new_axis_mask"):
        return False
    begins, ends = operation.get_attr("begin_mask"), operation.get_attr("end_mask")
    return (
        all(
            (begins >> axis & 1 or begin[axis] == 0) and (ends >> axis & 1 or end[axis] >= sizes[axis])
            for axis in range(1, len(begin))
        )
        and not operation.get_attr("shrink_axis_mask") & ~1
    )

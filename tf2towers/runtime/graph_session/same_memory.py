"""Ops that return their input's own memory: a variable fetched so shows the run's updates."""

from __future__ import annotations

from collections.abc import Sequence

import tensorflow as tf

#: ops that never copy
_NEVER_COPY = frozenset(
    {
        "Bitcast", "CheckNumerics", "EnsureShape", "ExpandDims", "Identity", "PlaceholderWithDefault",
        "PreventGradient", "Print", "Reshape", "Squeeze", "StopGradient",
    }
)  # fmt: skip
#: those of them that keep all elements as they are
ALL_OF_IT = _NEVER_COPY - {"Bitcast"}
#: ops that return their input itself if the output has the same elements in the same order
_WHOLE = frozenset({"BroadcastTo", "Pad", "PadV2", "Slice", "StridedSlice", "Tile", "Transpose", "Unpack"})
#: rows of this number of bytes, or a multiple, are not copied: each begins at an aligned address
_ALIGNED = 64


def is_same_memory(kind: str, operation: tf.Operation | None) -> bool:
    """True if an operation's first output is its first input's memory, in TF 1.15 and 2."""
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
    if kind == "StridedSlice" and not _keeps_order(operation):
        return False
    if given.num_elements() == made.num_elements():
        return True
    return kind in ("Slice", "StridedSlice") and _is_aligned(operation.inputs[0]) and _takes_rows(operation)


def is_all_of_it(kind: str, operation: tf.Operation | None) -> bool:
    """True if it is that memory as a whole, in another shape at most."""
    if kind in ALL_OF_IT:
        return True
    if kind == "Bitcast" or operation is None or not is_same_memory(kind, operation):
        return False
    return operation.inputs[0].shape.num_elements() == operation.outputs[0].shape.num_elements()


def _is_aligned(tensor: tf.Tensor) -> bool:
    """True if the size of a tensor's rows is a multiple of the memory alignment."""
    row = tensor.shape[1:].num_elements() * tensor.dtype.base_dtype.size
    return row > 0 and row % _ALIGNED == 0


def _keeps_order(operation: tf.Operation) -> bool:
    """True if all strides of a slice are 1, so that it keeps its input's order."""
    strides = tf.get_static_value(operation.inputs[3])
    return strides is not None and all(stride == 1 for stride in strides)


def _takes_rows(operation: tf.Operation) -> bool:
    """True if a slice takes whole rows of its input: one, or several adjacent ones."""
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

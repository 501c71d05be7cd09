"""What TensorFlow can compute in float64 on a CPU."""

from typing import Any, Dict, List

from .types import types_of

#: ops whose float32 says how bytes are read, not how a number is computed
_BYTES = frozenset(["Bitcast", "DecodeRaw", "DecodePaddedRaw", "ParseTensor", "Dequantize"])

_registered: Dict[str, List[Any]] = {}


def runs_wide(op: Any, wide: Any) -> bool:
    """Whether an op can compute with other types: its definition allows them, and there is a kernel.

    Args:
        op: the `tf.Operation`.
        wide: its node, with these types.
    """
    plain, definition = op.node_def, op.op_def
    changed = {
        attr.name for attr in definition.attr if types_of(plain, attr.name) != types_of(wide, attr.name)
    }
    if not changed:
        return True
    if op.type in _BYTES:
        return False
    for attr in definition.attr:
        allowed = attr.allowed_values.list.type
        if attr.name in changed and allowed and not set(types_of(wide, attr.name)) <= set(allowed):
            return False
    return _has_kernel(wide) or not _has_kernel(plain)


def _has_kernel(node: Any) -> bool:
    if node.op not in _registered:
        _registered[node.op] = _kernels_of(node.op)
    return any(
        all(
            set(types_of(node, limit.name)) <= set(limit.allowed_values.list.type)
            for limit in kernel.constraint
            if limit.allowed_values.list.type
        )
        for kernel in _registered[node.op]
        if kernel.device_type == "CPU"
    )


def _kernels_of(op_type: str) -> List[Any]:
    try:
        from tensorflow.python.framework import kernels

        return list(kernels.get_registered_kernels_for_op(op_type).kernel)
    except Exception:  # a TensorFlow that cannot say; running it will
        return []

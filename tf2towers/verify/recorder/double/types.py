"""Changes types in a graph's nodes: float32 becomes float64, all others stay."""

from typing import Any, Iterable, List

import numpy as np

FLOAT, DOUBLE, RESOURCE = 1, 2, 20  # tensorflow/core/framework/types.proto
WIDE = {FLOAT: DOUBLE}
_REF = 100  # DT_FLOAT_REF is DT_FLOAT + 100


def enum(dtype: Any) -> int:
    """A `tf.DType` as the number in a node; for a reference, the type that it refers to."""
    return int(dtype.base_dtype.as_datatype_enum)


def widened(number: int) -> int:
    """The type that replaces a type, both as numbers in a node."""
    base = number - _REF if number > _REF else number
    return WIDE.get(base, base)


def widen(node: Any) -> None:
    """Widens the types and the constants in a node."""
    for attr in node.attr.values():
        held = attr.WhichOneof("value")
        if held == "type":
            attr.type = widened(attr.type)
        elif held == "list" and attr.list.type:
            attr.list.type[:] = [widened(number) for number in attr.list.type]
        elif held == "tensor" and attr.tensor.dtype in WIDE:
            attr.tensor.CopyFrom(_wide_tensor(attr.tensor))


def types_of(node: Any, name: str) -> List[int]:
    """The types in an attribute; empty where the attribute holds none."""
    if name not in node.attr:
        return []
    attr = node.attr[name]
    return [attr.type] if attr.WhichOneof("value") == "type" else list(attr.list.type)


def types_of_arguments(arguments: Iterable[Any], node: Any) -> List[int]:
    """The type of each input, or output, of a node.

    Args:
        arguments: `input_arg` or `output_arg` of its op's definition.
        node: the node, with all attributes.
    """
    found: List[int] = []
    for argument in arguments:
        if argument.type_list_attr:
            found.extend(types_of(node, argument.type_list_attr))
        else:
            times = node.attr[argument.number_attr].i if argument.number_attr else 1
            found.extend(
                (types_of(node, argument.type_attr) if argument.type_attr else [argument.type]) * times
            )
    return found


def _wide_tensor(tensor: Any) -> Any:
    from tensorflow.python.framework import tensor_util

    return tensor_util.make_tensor_proto(tensor_util.MakeNdarray(tensor).astype(np.float64))


# -- the ops that TensorFlow can compute in float64 --------------------------------------------------------------------

#: ops in which float32 is the format of bytes, not the precision of the computation
_BYTES = frozenset(["Bitcast", "DecodeRaw", "DecodePaddedRaw", "ParseTensor", "Dequantize"])


def runs_wide(op: Any, wide: Any) -> bool:
    """True if an op can compute with other types, by its definition.

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
    return True

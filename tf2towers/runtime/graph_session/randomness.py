"""Seeded random operations draw from one sequence in all runs of a session.

In TF1 a seeded op kept its position in its random sequence as long as the session lived, across
training steps and evaluations. Here each run's function has its own copy of the op, so the position
is kept in a variable of the session. This variable is a state as in `tf.random.Generator`. It is
initialized as in TF1's kernel (`GuardedPhiloxRandom`: the key is the seed, the counter is 0 and the
second seed), and advanced as there (256 samples for each element). So the random numbers are the
same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from tf2towers.runtime.graph_session.graph_nodes import add_constant, add_node
from tf2towers.runtime.graph_session.placement import HOST

#: TF1's op -> the op that takes its position in the sequence as an input
STATELESS = {
    "RandomUniform": "StatelessRandomUniformV2",
    "RandomUniformInt": "StatelessRandomUniformIntV2",
    "RandomStandardNormal": "StatelessRandomNormalV2",
    "TruncatedNormal": "StatelessTruncatedNormalV2",
}
#: suffix of the names of variables that hold a position in a sequence
STATE = "/random_state"
_PHILOX = 1
_int32, _int64, _uint64 = (dtype.as_datatype_enum for dtype in (tf.int32, tf.int64, tf.uint64))


def is_seeded(node: Any) -> bool:
    """True if a node draws from a seeded sequence whose position can be shared."""
    return bool(node.op in STATELESS and (node.attr["seed"].i or node.attr["seed2"].i))


def keeps_its_own_place(node: Any) -> bool:
    """True if a node draws from a seeded sequence whose position no other function can share.

    `tf.random_shuffle`, `tf.multinomial`, `tf.random_gamma`, candidate samplers: TensorFlow has no
    version of these ops that takes the position as an input. `catching_up` handles them.
    """
    seeds = ("seed", "seed2")
    return (
        node.op not in STATELESS
        and "shared_name" not in node.attr  # a shuffle queue has one: all functions share it
        and all(name in node.attr for name in seeds)
        and any(node.attr[name].i for name in seeds)
    )


def state_name(node: Any) -> str:
    """The name of the variable that holds a node's position in its sequence."""
    return f"{node.name}{STATE}"


def is_state(node: Any) -> bool:
    """True if a node makes a variable that holds the position of another node."""
    return bool(node.name.endswith(STATE))


def initial_state(node: Any) -> list[int]:
    """The state of a sequence before the first draw: counter (2 x 64 bits), key."""
    return [0, node.attr["seed2"].i, node.attr["seed"].i]


def share_states(nodes: list[Any], in_loop: Callable[[str], bool]) -> tuple[list[Any], dict[str, list[Any]]]:
    """Makes the seeded nodes draw by states that the session keeps. The nodes are changed in place.

    Args:
        in_loop: whether the node of this name is in a `tf.while_loop`, where each round draws.

    Returns:
        The new nodes; and state's variable -> nodes that initialize it, of which the last is the
        one to run.
    """
    made: list[Any] = []
    begun: dict[str, list[Any]] = {}
    for node in nodes:
        if is_seeded(node):
            begun[state_name(node)] = initializing_nodes(state_name(node), initial_state(node))
            _draw_by_state(node, made, in_loop(node.name))
    return made, begun


def initializing_nodes(variable: str, value: list[int] | int) -> list[Any]:
    """Makes nodes that give a variable its first value; the last one is to be run."""
    made: list[Any] = []
    first = add_constant(made, f"{variable}/first", value, tf.int64, HOST)
    add_node(made, f"{variable}/begin", "AssignVariableOp", [variable, first], HOST, dtype=_int64)
    return made


def _draw_by_state(node: Any, made: list[Any], in_loop: bool) -> None:
    name, shape, device = node.name, node.input[0], node.device
    shape_type, out_type = node.attr["T"].type, node.attr["dtype"].type
    if node.op == "RandomUniformInt":
        shape_type, out_type = node.attr["T"].type, node.attr["Tout"].type

    # a node without inputs would be outside of the loop: a control input puts it into the round of
    # the draw
    anchor = [f"^{shape.lstrip('^').partition(':')[0]}"] if in_loop else []

    def add(suffix: str, op: str, inputs: list[str], **types: int) -> str:
        return str(add_node(made, f"{name}/{suffix}", op, inputs or anchor, HOST, **types).name)

    def constant(suffix: str, value: Any, dtype: tf.DType) -> str:
        return add_constant(made, f"{name}/{suffix}", value, dtype, HOST, anchor)

    handle = add("random_state", "VarHandleOp", [], dtype=_int64)
    made[-1].attr["shape"].shape.CopyFrom(tf.TensorShape([3]).as_proto())
    made[-1].attr["shared_name"].s = state_name(node).encode()
    made[-1].attr["container"].s = b""
    size = add("size", "Prod", [shape, constant("all", [0], tf.int32)], T=shape_type, Tidx=_int32)
    made[-1].attr["keep_dims"].b = False
    delta = add("delta", "Cast", [size], SrcT=shape_type, DstT=_uint64)
    controls = [text for text in node.input if text[0] == "^"]
    value = add("place", "RngReadAndSkip", [handle, constant("philox", _PHILOX, tf.int32), delta, *controls])
    bits = add("bits", "Bitcast", [value], T=_int64, type=_uint64)
    counter = add(
        "counter", "Slice", [bits, constant("from_0", [0], tf.int32), constant("two", [2], tf.int32)],
        T=_uint64, Index=_int32,
    )  # fmt: skip
    key = add(
        "key", "Slice", [bits, constant("from_2", [2], tf.int32), constant("one", [1], tf.int32)],
        T=_uint64, Index=_int32,
    )  # fmt: skip
    algorithm = constant("algorithm", _PHILOX, tf.int32)
    bounds = [text for text in node.input[1:] if text[0] != "^"]
    op = node.op
    node.op = STATELESS[op]
    node.attr.clear()
    node.attr["Tshape"].type = shape_type
    node.attr["dtype"].type = out_type
    del node.input[:]
    node.input.extend([shape, key, counter, algorithm, *bounds, *controls])
    node.device = device

"""Which values of a graph its copy in float64 cannot compute by itself: they are fed, with the values of the step."""

import re
from typing import Any, List

from .. import graph as graphs
from .types import RESOURCE, enum

VARIABLES = frozenset(["Variable", "VariableV2", "VarHandleOp"])
#: what is read of a resource variable: the op that reads the same of a tensor, and which of its attributes is which
READS = {
    "ReadVariableOp": ("Identity", {"T": "dtype"}),
    "VariableShape": ("Shape", {"out_type": "out_type"}),
    "ResourceGather": ("Gather", {"Tparams": "dtype", "Tindices": "Tindices"}),
    "ResourceGatherNd": ("GatherNd", {"Tparams": "dtype", "Tindices": "Tindices"}),
}
#: ops that hand on their first input, and do something beside
COPIES = frozenset(["Print", "DeepCopy"])
#: ops that hand on a resource or a reference
PASSES_ON = re.compile(r"(Ref)?(Identity|Enter|Switch|Merge|Exit|NextIteration)")
#: these draw by their seeds, and would draw other numbers in another type
_STATELESS_RANDOM = re.compile(r"Stateless(Random|Truncated|Multinomial|Parameterized).*")
#: with a state, but one that the copy has as well
_OWN_STATE = re.compile(r"TensorArray.*|Stack.*")


def comes_in(op: Any) -> bool:
    """Whether an op brings numbers in, or draws them."""
    patterns = (graphs.INPUT_OPS, graphs.RANDOM_OPS, _STATELESS_RANDOM)
    return any(pattern.fullmatch(op.type) for pattern in patterns)


def calls_a_function(op: Any) -> bool:
    """Whether what an op does is a graph of its own: branches and loops of TensorFlow 2, `Defun`s."""
    attributes = op.node_def.attr.values()
    return any(attr.WhichOneof("value") == "func" or attr.list.func for attr in attributes)


def has_foreign_state(op: Any) -> bool:
    """Whether an op reads or changes something that the copy does not have: a table, a counter, a queue."""
    if op.type in VARIABLES or op.type in READS or op.type in COPIES:
        return False
    if PASSES_ON.fullmatch(op.type) or _OWN_STATE.fullmatch(op.type):
        return False
    definition = op.op_def
    if definition.is_stateful or any(argument.is_ref for argument in definition.input_arg):
        return True
    return any(enum(tensor.dtype) == RESOURCE for tensor in op.inputs)


def waits_for(op: Any) -> List[Any]:
    """The control dependencies that a copy must keep: in a branch or a loop they say whether an op runs at all.

    The pivot of a branch is an Identity outside of it.
    """
    if not graphs.in_control_flow(op):
        return []
    return [
        other
        for other in op.control_inputs
        if (graphs.in_control_flow(other) and not comes_in(other) and not has_foreign_state(other))
        or other.type in ("Identity", "Switch")
    ]

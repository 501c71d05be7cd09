"""Moving averages as a graph's operations: what a variable is moved towards, and by how much of the way."""

from typing import Any, Dict, Iterable, List, Optional, Tuple

from . import graph as graphs

_READS = ("Identity", "ReadVariableOp", "Cast", "Enter", "RefEnter")


def moves(ops: Iterable[Any]) -> Dict[str, Tuple[Any, Any]]:
    """The values and the rates of what is moved as `variable -= (variable - value) * rate`, by the variable's name.

    So do `moving_averages.assign_moving_average` and the batch norms. A variable that is moved twice is left out.
    """
    found: Dict[str, List[Tuple[Any, Any]]] = {}
    for op in ops:
        if op.type in ("AssignSub", "AssignSubVariableOp") and not graphs.in_control_flow(op):
            variable = _variable_of(op.inputs[0])
            move = None if variable is None else _move(op.inputs[1], variable)
            if variable is not None and move is not None:
                found.setdefault(str(variable.name), []).append(move)
    return {name: each[0] for name, each in found.items() if len(each) == 1}


def _variable_of(tensor: Any) -> Optional[Any]:
    """The operation that holds the variable which is read, or None."""
    op = tensor.op
    while op.type in _READS and op.inputs:
        op = op.inputs[0].op
    return op if op.type in ("VarHandleOp", "VariableV2", "Variable") else None


def _move(change: Any, variable: Any) -> Optional[Tuple[Any, Any]]:
    if change.op.type != "Mul":
        return None
    for difference, rate in (change.op.inputs, list(change.op.inputs)[::-1]):
        if difference.op.type == "Sub" and _variable_of(difference.op.inputs[0]) is variable:
            return difference.op.inputs[1], rate
    return None

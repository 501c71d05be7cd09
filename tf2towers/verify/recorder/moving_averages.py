"""Moving averages in a graph: whether they come before or after their variables' update, and how each is moved."""

from typing import Any, Dict, Iterable, List, Optional, Tuple

from . import graph as graphs
from .wrapping import wrap

_READS = ("Identity", "ReadVariableOp", "Cast", "Enter", "RefEnter")


class Averages:
    """Remembers what `tf.train.ExponentialMovingAverage.apply` makes."""

    def __init__(self, tf: Any) -> None:
        self._made = []  # type: list[Any]

        def recorded(apply: Any, average: Any, var_list: Any = None) -> Any:
            listed = tf.trainable_variables() if var_list is None else list(var_list)
            op = apply(average, listed)
            self._made.append(
                (average, [variable for variable in listed if isinstance(variable, tf.Variable)], op)
            )
            return op

        wrap(tf.train.ExponentialMovingAverage, "apply", recorded)

    def unordered(self, behind: Any, applied: Any, sent: bool = False) -> Dict[str, Any]:
        """Those that a session call updates in no order with the variables: TF1 takes the values of before or after.

        Args:
            behind: the ops of the call, a set.
            applied: the updates' ops among them.
            sent: the variables are another process's. They are read once, and sent, when the step begins: control
                dependencies order what is done with the values, not the reading.

        Returns:
            By the average's name: {"of": variable's name, "decay": float, "num_updates": variable's name or None}.
        """
        found = {}
        ancestors = graphs.ancestors(applied)
        for average, variables, op in self._made:
            ordered = not sent and (op in ancestors or not graphs.ancestors([op]).isdisjoint(applied))
            if op not in behind or ordered:
                continue
            if isinstance(average._decay, (int, float)):
                count = getattr(average._num_updates, "name", None)
                for variable in variables:
                    found[_name(average.average(variable))] = {
                        "of": _name(variable),
                        "decay": float(average._decay),
                        "num_updates": None if count is None else count.split(":")[0],
                    }
        return found


def _name(variable: Any) -> str:
    return str(variable.name.split(":")[0])


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

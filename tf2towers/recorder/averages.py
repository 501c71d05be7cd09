"""Moving averages of variables, and whether the graph says if they come before or after their variables' update."""

from typing import Any, Dict

from tf2towers.instrumentation.wrapping import wrap

from . import graph as graphs


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
        before = graphs.ancestors(applied)
        for average, variables, op in self._made:
            ordered = not sent and (op in before or not graphs.ancestors([op]).isdisjoint(applied))
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

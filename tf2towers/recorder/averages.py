"""Moving averages of variables, and whether the graph says if they come before or after the update of their variables."""

from . import graph as graphs


class Averages(object):
    """Remembers what `tf.train.ExponentialMovingAverage.apply` makes.

    Args:
        tf: the TF1 module.
    """

    def __init__(self, tf: object) -> None:
        self._made = []  # type: list
        average, made = tf.train.ExponentialMovingAverage, self._made  # type: ignore[attr-defined]
        apply = average.apply

        def recorded(self, var_list=None):
            listed = tf.trainable_variables() if var_list is None else list(var_list)
            op = apply(self, listed)
            made.append((self, [one for one in listed if isinstance(one, tf.Variable)], op))
            return op

        average.apply = recorded

    def unordered(self, behind: set, applied: list) -> dict:
        """Those that a session call updates in no order with the variables: TF1 takes the values of before or after.

        Args:
            behind: the ops of the call.
            applied: the updates' ops among them.

        Returns:
            By the average's name: {"of": variable's name, "decay": float, "num_updates": variable's name or None}.
        """
        found = {}
        before = graphs.ancestors(applied)
        for average, variables, op in self._made:
            if op not in behind or op in before or not graphs.ancestors([op]).isdisjoint(applied):
                continue
            count = getattr(average._num_updates, "name", None)
            if isinstance(average._decay, (int, float)):
                for variable in variables:
                    found[_name(average.average(variable))] = {
                        "of": _name(variable),
                        "decay": float(average._decay),
                        "num_updates": None if count is None else count.split(":")[0],
                    }
        return found


def _name(variable):
    return variable.name.split(":")[0]

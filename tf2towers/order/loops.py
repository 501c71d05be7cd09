"""Where the loops of a graph begin and end, for the order of what is read in them.

An operation in a `tf.while_loop` cannot wait for one outside, so the loop waits as a whole: the `Enter` of what its
condition depends on, before which no round begins. What comes after the operation waits for an `Exit` that depends on
it. Loops in loops have neither.
"""

from typing import Dict, List, NamedTuple, Optional, Sequence

from tf2towers.order.operations import Operation, kind_of


class Ends(NamedTuple):
    """The operations that stand for one in a loop, where something waits."""

    begin: str
    end: str


class Loops(object):
    """The loops of a graph.

    Args:
        operations: in an order as of `sorted_operations`.
    """

    def __init__(self, operations: Sequence[Operation]) -> None:
        self._operations = {operation.name: operation for operation in operations}
        self._conditions: Dict[str, Optional[str]] = {}  # operation in a loop -> the loop's `LoopCond`
        self._users: Dict[str, List[str]] = {}
        for operation in operations:
            self._add(operation)

    def around(self, name: str) -> Optional[Ends]:
        """What stands for an operation in a loop; None where it is not known."""
        condition = self._conditions.get(name)
        if condition is None:
            return None
        begin, end = self._begin(condition), self._end(name, condition)
        return None if begin is None or end is None else Ends(begin, end)

    def _add(self, operation: Operation) -> None:
        sources = [source for source, _ in operation.inputs]
        for source in sources:
            self._users.setdefault(source, []).append(operation.name)
        kind = kind_of(operation)
        known = [
            self._conditions[name] for name in (*sources, *operation.controls) if name in self._conditions
        ]
        if kind == "Switch" and kind_of(self._operations.get(sources[1], operation)) == "LoopCond":
            self._conditions[operation.name] = sources[1]
        elif kind == "Enter":
            if known:  # a loop in a loop
                self._conditions[operation.name] = None
        elif known and (kind != "Exit" or None in known):
            self._conditions[operation.name] = None if None in known else known[0]

    def _begin(self, condition: str) -> Optional[str]:
        """The `Enter` of a loop variable that a loop's condition depends on."""
        waiting, seen = [condition], {condition}
        while waiting:
            operation = self._operations[waiting.pop()]
            if kind_of(operation) == "Merge":
                enter = self._operations.get(operation.inputs[0][0])
                return enter.name if enter is not None and kind_of(enter) == "Enter" else None
            sources = [name for name, _ in operation.inputs if name in self._operations and name not in seen]
            waiting += sources
            seen.update(sources)
        return None

    def _end(self, name: str, condition: str) -> Optional[str]:
        """The `Exit` of a loop variable whose next value depends on an operation."""
        waiting, seen = [name], {name}
        while waiting:
            for user in self._users.get(waiting.pop(), ()):
                operation = self._operations[user]
                if kind_of(operation) == "Exit":
                    return user
                inside = kind_of(operation) == "Merge" or self._conditions.get(user) == condition
                if inside and user not in seen:
                    seen.add(user)
                    waiting.append(user)
        return None

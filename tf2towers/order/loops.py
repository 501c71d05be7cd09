"""Where the loops of a graph begin and end, for the order of what is read and written in them.

An operation in a `tf.while_loop` cannot wait for one outside, so the loop waits as a whole: the
`Enter` of what its condition depends on, before which no round begins. What comes after the
operation waits for an `Exit` that depends on it. For an operation of a loop in a loop, the outer
loop waits and is waited for.
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
        self._conditions: Dict[
            str, Optional[str]
        ] = {}  # operation in a loop -> the outermost loop's `LoopCond`
        self._depths: Dict[str, int] = {}  # operation -> the number of loops around it
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
        before = [*sources, *operation.controls]
        for source in before:
            self._users.setdefault(source, []).append(operation.name)
        kind = kind_of(operation)
        inside = max([self._depths[name] for name in before if name in self._depths] + [0])
        depth = self._depths[operation.name] = inside + (kind == "Enter") - (kind == "Exit" and inside > 0)
        known = [self._conditions[name] for name in before if name in self._conditions]
        if (
            not known
            and kind == "Switch"
            and kind_of(self._operations.get(sources[1], operation)) == "LoopCond"
        ):
            known = [sources[1] if depth == 1 else None]
        if known and depth:
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
        """The outer `Exit` of a loop variable whose next value depends on an operation."""
        waiting, seen = [name], {name}
        while waiting:
            for user in self._users.get(waiting.pop(), ()):
                operation = self._operations[user]
                if kind_of(operation) == "Exit" and not self._depths[user]:
                    return user
                inside = kind_of(operation) == "Merge" or self._conditions.get(user) == condition
                if inside and user not in seen:
                    seen.add(user)
                    waiting.append(user)
        return None

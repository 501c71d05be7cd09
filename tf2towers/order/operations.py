"""A graph as the order sees it: operations, inputs, and which come before which."""

import heapq
from typing import Callable, Dict, Iterable, List, NamedTuple, Sequence, Tuple

#: an operation's name and the number of its output
Tensor = Tuple[str, int]


class Operation(NamedTuple):
    """An operation of a graph.

    Attributes:
        built: its place in the order of building.
        gradient: whether it computes a gradient.
    """

    name: str
    type: str
    inputs: Tuple[Tensor, ...]
    controls: Tuple[str, ...]
    built: int
    gradient: bool = False


def kind_of(operation: Operation) -> str:
    """An operation's type, without the prefix of those that take TF1's variables."""
    return operation.type[3:] if operation.type.startswith("Ref") else operation.type


def sorted_operations(operations: Sequence[Operation]) -> List[Operation]:
    """The operations, each after those that it depends on, otherwise in the order of building.

    Operations in a cycle, but for those of TensorFlow's loops, come last.
    """
    of_name = {operation.name: operation for operation in operations}
    users: Dict[str, List[str]] = {}
    missing: Dict[str, int] = {}
    built = {operation.name: operation.built for operation in operations}
    for operation in operations:
        sources = {name for name, _ in operation.inputs}.union(operation.controls)
        sources = {name for name in sources if name in of_name and not _goes_back(of_name[name])}
        missing[operation.name] = len(sources)
        for source in sources:
            users.setdefault(source, []).append(operation.name)
    ready = [(built[name], name) for name, count in missing.items() if not count]
    heapq.heapify(ready)
    found: Dict[str, Operation] = {}
    while ready:
        at, name = heapq.heappop(ready)
        found[name] = of_name[name]
        for user in users.get(name, ()):
            missing[user] -= 1
            built[user] = max(built[user], at)
            if not missing[user]:
                heapq.heappush(ready, (built[user], user))
    return list(found.values()) + [operation for operation in operations if operation.name not in found]


def _goes_back(operation: Operation) -> bool:
    """True if an operation's output is for the next round of a loop."""
    return kind_of(operation) == "NextIteration"


def reach(
    operations: Iterable[Operation],
    marked: Dict[str, int],
    controls: bool,
    passes: Callable[[Operation], bool] = lambda operation: True,
) -> Dict[str, int]:
    """The marks of the operations that each operation depends on, and its own, as bits.

    Args:
        operations: in an order as of `sorted_operations`.
        marked: operation -> its bit.
        controls: whether control inputs count.
        passes: whether paths through an operation count.
    """
    found: Dict[str, int] = {}
    for operation in operations:
        if not passes(operation):
            continue
        bits = marked.get(operation.name, 0)
        for name, _ in operation.inputs:
            bits |= found.get(name, 0)
        for name in operation.controls if controls else ():
            bits |= found.get(name, 0)
        if bits:
            found[operation.name] = bits
    return found

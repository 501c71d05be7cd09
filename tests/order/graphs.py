"""Small graphs as text: `r: ReadVariableOp v`, `w: AssignVariableOp v x ^r`, an operation a line, in built order."""

from __future__ import annotations

from tf2towers.order.operations import Operation, Tensor, sorted_operations
from tf2towers.order.pairs import READ, WRITE, Access, Decision, decide, use_of

#: first parts of the types of operations that write a variable
WRITES = ("Assign", "ResourceApply")
SHARED = ("VarHandleOp", "FIFOQueueV2", "ConditionalAccumulator")


def operations_of(text: str) -> list[Operation]:
    """The operations; those whose names begin with `gradients/` are a gradient's."""
    found = []
    for built, line in enumerate(filter(str.strip, text.splitlines())):
        name, _, rest = line.strip().partition(": ")
        kind, *words = rest.split()
        inputs = tuple(_tensor(word) for word in words if word[0] != "^")
        controls = tuple(word[1:] for word in words if word[0] == "^")
        found.append(Operation(name, kind, inputs, controls, built, name.startswith("gradients/")))
    return sorted_operations(found)


def _tensor(word: str) -> Tensor:
    name, _, output = word.partition(":")
    return name, int(output or 0)


def accesses_of(operations: list[Operation], **changes: dict[str, object]) -> dict[str, list[Access]]:
    """The accesses of each variable and queue.

    Args:
        changes: operation -> what its access has besides.
    """
    of = {operation.name: operation for operation in operations}
    found: dict[str, list[Access]] = {}
    for operation in operations:
        source = operation
        while source.type not in SHARED and source.inputs and source.inputs[0][0] in of:
            if source is not operation and source.type not in ("Identity", "Switch", "Enter"):
                break
            source = of[source.inputs[0][0]]
        if operation.type in (*SHARED, "Identity", "Switch", "Enter") or source.type not in SHARED:
            continue
        kind = use_of(operation.type) or (WRITE if operation.type.startswith(WRITES) else READ)
        access = Access(operation.name, kind, waits=kind == READ and bool(operation.controls))
        found.setdefault(source.name, []).append(access._replace(**changes.get(operation.name, {})))
    return found


def decided(text: str, whole: bool = False, **changes: dict[str, object]) -> Decision:
    """What is decided of a graph."""
    operations = operations_of(text)
    return decide(operations, accesses_of(operations, **changes), whole)


def waits(text: str, whole: bool = False, **changes: dict[str, object]) -> set[str]:
    """The pairs as 'earlier > later', and with the branches that end before: 'earlier /p:1 > later'."""
    return {
        " ".join(
            [pair.earlier, *(f"/{branch.root[0]}:{branch.taken}" for branch in pair.leaving), ">", pair.later]
        )
        for pair in decided(text, whole, **changes).pairs
    }

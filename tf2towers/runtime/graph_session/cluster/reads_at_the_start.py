"""Reads shared variables at the start of a run, as TF1's workers did."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from tf2towers.runtime.graph_session.graph_nodes import GIVEN, copy_of, parse, written

#: names of the reads that `variable.read_value()` makes, which waited in TF1 as well
_EXPLICIT = re.compile(r"(^|.*/)Read(_\d+)?/ReadVariableOp(_\d+)?")
_WRITES = re.compile(
    r"Assign(Add|Sub)?VariableOp|Resource(Sparse)?Apply\w+|Resource(Scatter|StridedSlice)\w+"
)


def read_at_the_start(nodes: Sequence[Any], is_elsewhere: Callable[[Any], bool]) -> list[Any]:
    """Makes this worker's own ops use the value that a shared variable has at the start of the run.

    In TF1, `with tf.control_dependencies([train_op]): tf.assign(local, shared)` used the value from
    before the update, and so did a moving average: a worker received a variable by its only read,
    `shared/read`, which waits for nothing. Other reads waited: ops on the parameter server used the
    variable's memory, `shared.read_value()` is a separate op, and `tf.assign_add(shared, x)`
    returned the written value. If the script had enabled resource variables, all reads waited, and
    this is not called. The op that uses the value waits for all that the read waited for, as in
    TF1.

    Args:
        nodes: a run's nodes on their devices; their inputs are changed in place.
        is_elsewhere: whether a node is on a parameter server.

    Returns:
        New reads that wait for nothing; the writes of their variables wait for them.
    """
    variables = {node.name for node in nodes if node.op == "VarHandleOp" and is_elsewhere(node)}
    waiting = {
        node.name: node
        for node in nodes
        if node.op == "ReadVariableOp"
        and len(node.input) > 1
        and parse(node.input[0]).node in variables
        and not _EXPLICIT.fullmatch(node.name)
        and GIVEN not in node.attr
    }
    made: dict[str, Any] = {}
    for node in nodes if waiting else ():
        if is_elsewhere(node):
            continue
        for index, text in enumerate(node.input):
            name = parse(text)
            if name.node not in waiting or name.output < 0:
                continue
            read = waiting[name.node]
            if read.name not in made:
                made[read.name] = early = copy_of(read)
                early.name = f"{read.name}/at_the_start"
                del early.input[1:]
            node.input[index] = written(name._replace(node=made[read.name].name))
            node.input.extend(wait for wait in read.input[1:] if wait not in node.input)
    first = {parse(read.input[0]).node: read.name for read in made.values()}
    for node in nodes if first else ():
        if _WRITES.fullmatch(node.op) and parse(node.input[0]).node in first:
            node.input.append(f"^{first[parse(node.input[0]).node]}")
    return list(made.values())

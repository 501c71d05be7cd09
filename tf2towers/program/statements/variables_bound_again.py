"""One name for several variables: `weights = tf.Variable(...)` layer after layer.

In a TF1 graph every use kept the variable it met. The migrated program makes all variables first, and its functions
would meet the last one only: so each further variable gets a name of its own.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from tf2towers.program.python_code.data_flow import flow_of
from tf2towers.program.python_code.search import assigned_name, find_all
from tf2towers.program.statements.trainer_statement import MIXED, TOWERS, TrainerStatement
from tf2towers.program.statements.value_kinds import STATE, TENSOR
from tf2towers.program.training import Training


def rename_rebound_state(training: Training) -> None:
    """Fills `training.renamed` for state that is bound to one name several times, and tells what cannot be renamed."""
    statements = [
        statement for outer in training.statements if outer.kind != TOWERS for statement in _straight(outer)
    ]
    taken = {node.value for node in find_all(training.module, cst.Name)}
    for name in sorted({_binding(statement) for statement in statements} - {None}):  # type: ignore[type-var]
        assert name is not None
        bindings = [statement for statement in statements if name in statement.flow.binds]
        if len(bindings) < 2 or not _read_between(statements, bindings, name):
            continue
        if any(_binding(statement) != name for statement in bindings):
            training.problem(
                bindings[-1].node, "T2T405", f"{name!r} is read by the graph and changed afterwards"
            )
            continue
        _rename(training, statements, bindings, name, taken)
    for outer in training.statements:
        if outer.kind != TOWERS and outer.inner and isinstance(outer.node, cst.With):
            _sum_up(outer)


def _straight(statement: TrainerStatement) -> Iterator[TrainerStatement]:
    """The statements that run one after the other, with blocks opened."""
    if isinstance(statement.node, cst.With) and statement.inner:
        for inner in statement.inner:
            yield from _straight(inner)
    else:
        yield statement


def _binding(statement: TrainerStatement) -> str | None:
    """The name that a statement binds to a variable."""
    if statement.kind != STATE or statement.assign is None or statement.detail != STATE:
        return None
    return assigned_name(statement.assign)


def _read_between(statements: list[TrainerStatement], bindings: list[TrainerStatement], name: str) -> bool:
    """Whether the graph reads the name before its last binding."""
    last = statements.index(bindings[-1])
    return any(
        name in statement.flow.reads and statement.kind in (TENSOR, MIXED) for statement in statements[:last]
    )


def _rename(
    training: Training,
    statements: list[TrainerStatement],
    bindings: list[TrainerStatement],
    name: str,
    taken: set[str],
) -> None:
    current = name
    for statement in statements:
        name_read = current
        if statement in bindings[1:]:
            current = _fresh(name, taken)
            assert statement.assign is not None
            training.renamed[statement.assign.targets[0].target] = current
            statement.flow.binds = (statement.flow.binds - {name}) | {current}
            training.value_kinds.names[current] = STATE
        if name_read != name and name in statement.flow.reads | statement.flow.mutates:
            for node in _names(statement, name):
                training.renamed[node] = name_read
            for group in (statement.flow.reads, statement.flow.mutates):
                if name in group:
                    group.remove(name)
                    group.add(name_read)


def _names(statement: TrainerStatement, name: str) -> list[cst.Name]:
    node: cst.CSTNode = statement.node
    if statement.assign is not None and _binding(statement) == name:
        node = statement.assign.value
    skipped: set[cst.CSTNode] = {attribute.attr for attribute in find_all(node, cst.Attribute)}
    skipped |= {argument.keyword for argument in find_all(node, cst.Arg) if argument.keyword is not None}
    return [found for found in find_all(node, cst.Name) if found.value == name and found not in skipped]


def _fresh(name: str, taken: set[str]) -> str:
    count = 2
    while f"{name}_{count}" in taken:
        count += 1
    taken.add(f"{name}_{count}")
    return f"{name}_{count}"


def _sum_up(statement: TrainerStatement) -> None:
    """A with block's flow again, from its statements' own."""
    for inner in statement.inner:
        if isinstance(inner.node, cst.With) and inner.inner:
            _sum_up(inner)
    assert isinstance(statement.node, cst.With)
    heads = flow_of(*statement.node.items)
    statement.flow.reads = heads.reads.union(*(inner.flow.reads for inner in statement.inner))
    statement.flow.binds = heads.binds.union(*(inner.flow.binds for inner in statement.inner))
    statement.flow.mutates = set().union(*(inner.flow.mutates for inner in statement.inner))

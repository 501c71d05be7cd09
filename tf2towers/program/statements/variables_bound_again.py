"""One name for several variables: `weights = tf.Variable(...)` layer after layer.

In a TF1 graph every use kept the variable it met. The migrated program makes all variables first, and its functions
would meet the last one only: so each further variable gets a name of its own.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from tf2towers.program.python_code.data_flow import flow_of
from tf2towers.program.python_code.search import assigned_name, find_all
from tf2towers.program.statements.trainer_statement import MIXED, TOWERS, Leaf
from tf2towers.program.statements.value_kinds import STATE, TENSOR
from tf2towers.program.training import Training


def rename_rebound_state(training: Training) -> None:
    """Fills `training.renamed` for state that is bound to one name several times, and tells what cannot be renamed."""
    leaves = [leaf for outer in training.leaves if outer.kind != TOWERS for leaf in _straight(outer)]
    taken = {node.value for node in find_all(training.module, cst.Name)}
    for name in sorted({_binding(leaf) for leaf in leaves} - {None}):  # type: ignore[type-var]
        assert name is not None
        bindings = [leaf for leaf in leaves if name in leaf.flow.binds]
        if len(bindings) < 2 or not _read_between(leaves, bindings, name):
            continue
        if any(_binding(leaf) != name for leaf in bindings):
            training.problem(
                bindings[-1].node, "T2T405", f"{name!r} is read by the graph and changed afterwards"
            )
            continue
        _rename(training, leaves, bindings, name, taken)
    for outer in training.leaves:
        if outer.kind != TOWERS and outer.inner and isinstance(outer.node, cst.With):
            _sum_up(outer)


def _straight(leaf: Leaf) -> Iterator[Leaf]:
    """The statements that run one after the other, with blocks opened."""
    if isinstance(leaf.node, cst.With) and leaf.inner:
        for inner in leaf.inner:
            yield from _straight(inner)
    else:
        yield leaf


def _binding(leaf: Leaf) -> str | None:
    """The name that a statement binds to a variable."""
    if leaf.kind != STATE or leaf.assign is None or leaf.detail != STATE:
        return None
    return assigned_name(leaf.assign)


def _read_between(leaves: list[Leaf], bindings: list[Leaf], name: str) -> bool:
    """Whether the graph reads the name before its last binding."""
    last = leaves.index(bindings[-1])
    return any(name in leaf.flow.reads and leaf.kind in (TENSOR, MIXED) for leaf in leaves[:last])


def _rename(training: Training, leaves: list[Leaf], bindings: list[Leaf], name: str, taken: set[str]) -> None:
    current = name
    for leaf in leaves:
        before = current
        if leaf in bindings[1:]:
            current = _fresh(name, taken)
            assert leaf.assign is not None
            training.renamed[leaf.assign.targets[0].target] = current
            leaf.flow.binds = (leaf.flow.binds - {name}) | {current}
            training.kinds.names[current] = STATE
        if before != name and name in leaf.flow.reads | leaf.flow.mutates:
            for node in _names(leaf, name):
                training.renamed[node] = before
            for group in (leaf.flow.reads, leaf.flow.mutates):
                if name in group:
                    group.remove(name)
                    group.add(before)


def _names(leaf: Leaf, name: str) -> list[cst.Name]:
    node: cst.CSTNode = leaf.node
    if leaf.assign is not None and _binding(leaf) == name:
        node = leaf.assign.value
    skipped: set[cst.CSTNode] = {attribute.attr for attribute in find_all(node, cst.Attribute)}
    skipped |= {argument.keyword for argument in find_all(node, cst.Arg) if argument.keyword is not None}
    return [found for found in find_all(node, cst.Name) if found.value == name and found not in skipped]


def _fresh(name: str, taken: set[str]) -> str:
    count = 2
    while f"{name}_{count}" in taken:
        count += 1
    taken.add(f"{name}_{count}")
    return f"{name}_{count}"


def _sum_up(leaf: Leaf) -> None:
    """A with block's flow again, from its statements' own."""
    for inner in leaf.inner:
        if isinstance(inner.node, cst.With) and inner.inner:
            _sum_up(inner)
    assert isinstance(leaf.node, cst.With)
    heads = flow_of(*leaf.node.items)
    leaf.flow.reads = heads.reads.union(*(inner.flow.reads for inner in leaf.inner))
    leaf.flow.binds = heads.binds.union(*(inner.flow.binds for inner in leaf.inner))
    leaf.flow.mutates = set().union(*(inner.flow.mutates for inner in leaf.inner))

"""What the loop hands on: lists it fills from the towers, and values that one turn gives the next."""

from __future__ import annotations

import libcst as cst

from tf2towers.program.averaging import is_mean_over_towers
from tf2towers.program.find import find_all
from tf2towers.program.flow import flow_of, target_names, upward_exposed
from tf2towers.program.model import Average, Training
from tf2towers.program.towers import accumulators, range_count


def read_collected(training: Training) -> None:
    """How each list the loop fills is used afterwards: averaged gradients, or something that needs every tower's."""
    loop = training.tower.loop
    collected = accumulators(loop)
    before = {
        name
        for leaf in training.leaves[: training.leaves.index(training.towers_leaf)]
        for name in leaf.flow.binds
    }
    inside = {
        name for leaf in training.towers_leaf.inner for inner in leaf.every() for name in inner.flow.binds
    }
    collected = {name for name in collected if name in before and name not in inside - before}
    averaged: set[str] = set()
    after = training.leaves[training.leaves.index(training.towers_leaf) + 1 :]
    for leaf in after:
        finder = _AverageFinder(training, collected)
        leaf.node.visit(finder)
        training.averages.extend(finder.found)
        averaged |= {average.accumulator for average in finder.found}
    uses: set[str] = set()
    for leaf in after:
        calls = [a.call for a in training.averages]
        uses |= _reads_outside(leaf.node, calls) & collected
        if leaf.assign is not None:
            collected = collected - leaf.flow.binds  # another value from here on
    training.gathered = uses
    for name in averaged & uses:
        training.averages = [a for a in training.averages if a.accumulator != name]


class _AverageFinder(cst.CSTVisitor):
    def __init__(self, training: Training, collected: set[str]) -> None:
        self._training = training
        self._collected = collected
        self.found: list[Average] = []

    def visit_Call(self, node: cst.Call) -> None:
        if len(node.args) != 1 or not isinstance(node.args[0].value, cst.Name):
            return
        name = node.args[0].value.value
        if name not in self._collected:
            return
        canonical = self._training.kinds.resolver.canonical(node.func)
        if canonical is not None and is_mean_over_towers(self._training.functions, canonical):
            self.found.append(Average(node, name, canonical))


def _reads_outside(node: cst.CSTNode, calls: list[cst.Call]) -> set[str]:
    """Names a statement reads, those inside the given calls left out."""
    reads: set[str] = set()

    class Visitor(cst.CSTVisitor):
        def visit_Call(self, call: cst.Call) -> bool:
            return not any(call is other for other in calls)

        def visit_Name(self, name: cst.Name) -> None:
            reads.add(name.value)

        def visit_AssignTarget(self, node: cst.AssignTarget) -> bool:
            return not isinstance(node.target, cst.Name)

    node.visit(Visitor())
    return reads


def read_carried(training: Training) -> None:
    """Plain values that one turn of the loop hands to the next, as a value of the tower's index."""
    loop = training.tower.loop
    exposed = upward_exposed(loop.body.body)
    bound = flow_of(loop.body).binds
    for name in sorted(exposed & bound - target_names(loop.target)):
        formula = _carried_formula(training, name)
        if formula is None:
            training.problem(
                loop, "T2T303", f"{name!r} goes from one tower to the next in a way the tool cannot follow"
            )
        else:
            training.carried[name] = formula


def _carried_formula(training: Training, name: str) -> cst.BaseExpression | None:
    loop = training.tower.loop
    before: cst.BaseExpression | None = None
    for leaf in training.leaves[: training.leaves.index(training.towers_leaf)]:
        assign = leaf.assign
        if assign is not None and name in leaf.flow.binds:
            before = assign.value
    changes = [leaf for outer in training.towers_leaf.inner for leaf in outer.every() if not leaf.inner]
    changes = [leaf for leaf in changes if name in leaf.flow.binds]
    if before is None or len(changes) != 1:
        return None
    small = changes[0].node.body[0] if isinstance(changes[0].node, cst.SimpleStatementLine) else None
    index = _index(training)
    if isinstance(small, cst.AugAssign) and isinstance(small.operator, cst.AddAssign):
        if isinstance(small.value, cst.Integer) and isinstance(before, cst.Integer):
            scaled = (
                index if small.value.value == "1" else cst.BinaryOperation(index, cst.Multiply(), small.value)
            )
            return scaled if before.value == "0" else cst.BinaryOperation(before, cst.Add(), scaled)
        return None
    if isinstance(small, cst.Assign) and not flow_of(small.value).reads - {"True", "False", "None"}:
        if _is(before, "False", "None") and _is(small.value, "True"):
            return cst.Comparison(index, [cst.ComparisonTarget(cst.GreaterThan(), cst.Integer("0"))])
        if not flow_of(before).reads - {"True", "False", "None"} and runs_through(loop):
            return cst.IfExp(
                test=cst.Comparison(index, [cst.ComparisonTarget(cst.GreaterThan(), cst.Integer("0"))]),
                body=small.value,
                orelse=before,
            )
    return None


def _index(training: Training) -> cst.BaseExpression:
    """The tower's index: the loop's own variable where it counts, else `tower_index()`."""
    loop = training.tower.loop
    if range_count(loop.iter, training.kinds.resolver) is not None and isinstance(loop.target, cst.Name):
        return loop.target
    if (
        isinstance(loop.iter, cst.Call)
        and training.kinds.resolver.canonical(loop.iter.func) == "builtins.enumerate"
    ):
        if isinstance(loop.target, cst.Tuple) and isinstance(loop.target.elements[0].value, cst.Name):
            return loop.target.elements[0].value
    return cst.Call(cst.Name("tower_index"))


def runs_through(loop: cst.For) -> bool:
    """Whether the loop runs to its end in every turn (no break, no continue)."""
    return not find_all(loop.body, cst.Break) and not find_all(loop.body, cst.Continue)


def _is(node: cst.BaseExpression, *words: str) -> bool:
    return isinstance(node, cst.Name) and node.value in words

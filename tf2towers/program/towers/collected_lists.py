"""What the loop hands on: lists it fills from the towers."""

from __future__ import annotations

import ast

import libcst as cst

from tf2towers.exact.functions.means import is_plain_mean
from tf2towers.program.python_code.data_flow import flow_of, target_names, upward_exposed
from tf2towers.program.towers.tower_loop import accumulators
from tf2towers.program.training import Average, Training


def read_collected(training: Training) -> None:
    """How each list the loop fills is used afterwards: averaged gradients, or something that needs every tower's."""
    loop = training.tower.loop
    collected = accumulators(loop)
    bound_before = {
        name
        for statement in training.statements
        if training.stands_before_towers(statement)
        for name in statement.flow.binds
    }
    bound_inside = {
        name
        for statement in training.tower_loop_statement.inner
        for inner in statement.every()
        for name in inner.flow.binds
    }
    collected = {
        name for name in collected if name in bound_before and name not in bound_inside - bound_before
    }
    averaged: set[str] = set()
    statements_after = training.behind_towers(training.statements)
    for statement in statements_after:
        finder = _AverageFinder(training, collected)
        statement.node.visit(finder)
        training.averages.extend(finder.found)
        averaged |= {average.accumulator for average in finder.found}
    uses: set[str] = set()
    for statement in statements_after:
        calls = [average.call for average in training.averages]
        uses |= _reads_outside(statement.node, calls) & collected
        if statement.assign is not None:
            collected = collected - statement.flow.binds  # another value from here on
    training.gathered = uses
    for name in averaged & uses:
        training.averages = [average for average in training.averages if average.accumulator != name]


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
        canonical = self._training.value_kinds.resolver.canonical(node.func)
        if canonical is not None and self._is_mean(canonical):
            self.found.append(Average(node, name, canonical))

    def _is_mean(self, canonical: str) -> bool:
        """Whether a function of the script certainly is the plain mean over the towers."""
        source = self._training.source
        found = source.defined(source.main, canonical)
        return (
            found is not None and isinstance(found[1], ast.FunctionDef) and is_plain_mean(found[0], found[1])
        )


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


def refuse_carried(training: Training) -> None:
    """Values that one turn of the loop hands to the next: a replica function has no turn before it."""
    loop = training.tower.loop
    exposed = upward_exposed(loop.body.body)
    carried = exposed & flow_of(loop.body).binds - target_names(loop.target) - training.body.flags
    for name in sorted(carried):
        training.problem(loop, "T2T303", f"{name!r} goes from one tower to the next")

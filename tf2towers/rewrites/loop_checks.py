"""Tower loops that are no plain loops: left early, filling no list, mixing the first and the last tower (T2T303)."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from tf2towers.program import kinds as k
from tf2towers.program.find import call_statement, find_all, method_of, only_small
from tf2towers.program.flow import flow_of, target_names
from tf2towers.program.leaf import TOWERS, Leaf
from tf2towers.program.model import Step, Training
from tf2towers.program.problems import Problem

_CODE = "T2T303"


def loop_problems(training: Training) -> Iterator[Problem]:
    """Shapes of a tower loop that a replica function cannot have."""
    if training.tower.synthetic:
        return
    for node in _ways_out(training.tower.loop.body):
        yield Problem(
            node, _CODE, "the tower loop is left early, or a turn of it: not every tower does the same"
        )
    if training.tower.loop.orelse is not None:
        yield Problem(training.tower.loop.orelse, _CODE, "an else of the tower loop")
    yield from _stands_in(training)
    yield from _own_weights(training)
    yield from _made_in_functions(training)
    yield from _collections(training)
    yield from _first_and_last(training)


def _ways_out(body: cst.CSTNode) -> list[cst.CSTNode]:
    """`break` and `continue` of this loop, `return` and `yield`."""
    found: list[cst.CSTNode] = []

    class Visitor(cst.CSTVisitor):
        def __init__(self) -> None:
            self.loops = 0

        def visit_For(self, node: cst.For) -> None:
            self.loops += 1

        def leave_For(self, original_node: cst.For) -> None:
            self.loops -= 1

        def visit_While(self, node: cst.While) -> None:
            self.loops += 1

        def leave_While(self, original_node: cst.While) -> None:
            self.loops -= 1

        def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
            return False

        def visit_Break(self, node: cst.Break) -> None:
            if not self.loops:
                found.append(node)

        def visit_Continue(self, node: cst.Continue) -> None:
            if not self.loops:
                found.append(node)

        def visit_Return(self, node: cst.Return) -> None:
            found.append(node)

        def visit_Yield(self, node: cst.Yield) -> None:
            found.append(node)

    body.visit(Visitor())
    return found


def _stands_in(training: Training) -> Iterator[Problem]:
    """The loop inside another statement than a with block or `if __name__ == '__main__'`."""
    parents = training.tower.parents
    owner = training.tower.owner
    for parent in parents[next(i for i, one in enumerate(parents) if one is owner) + 1 :]:
        if isinstance(parent, cst.If) and _is_main_guard(parent):
            continue
        if not isinstance(parent, cst.With):
            word = type(parent).__name__.lower()
            message = f"the tower loop stands in a block of its own ({word}), which is not the step's"
            yield Problem(training.tower.loop, "T2T302", message)
            return


def _is_main_guard(node: cst.If) -> bool:
    names = {name.value for name in find_all(node.test, cst.Name)}
    return "__name__" in names and node.orelse is None


def _own_weights(training: Training) -> Iterator[Problem]:
    """tf.Variable in the tower, and variable scopes named after it."""
    kinds = training.kinds
    for call in find_all(training.tower.loop.body, cst.Call):
        canonical = kinds.resolver.canonical(call.func)
        summary = training.functions.summary(canonical) if canonical is not None else None
        if canonical == "tf.Variable" or (summary is not None and "tf.Variable" in summary.symbols):
            yield Problem(call, "T2T312", "tf.Variable in the tower: each tower has weights of its own")
        elif canonical in ("tf.variable_scope", "tf.variable_op_scope") and call.args:
            if flow_of(call.args[0].value).reads & _of_one_tower(training):
                yield Problem(call, "T2T312", "a variable scope for each tower: each has weights of its own")


def _made_in_functions(training: Training) -> Iterator[Problem]:
    """tf.Variable among the tensors: its statement goes into a function that runs again and again."""
    moved = [*training.tower_needs.leaves, *(leaf for step in training.steps for leaf in step.slice.leaves)]
    for leaf in dict.fromkeys(moved):
        if leaf.kind != TOWERS and "tf.Variable" in training.effects[leaf].symbols:
            yield Problem(
                leaf.node, "T2T304", "variables and tensors made in one statement: tf.Variable is state"
            )


def _of_one_tower(training: Training) -> set[str]:
    """The loop's variables, and the names its body works out from them by plain Python."""
    found = target_names(training.tower.loop.target) | set(training.carried)
    for outer in training.towers_leaf.inner:
        for leaf in outer.every():
            if leaf.kind == k.PLAIN and leaf.assign is not None and leaf.flow.reads & found:
                found |= leaf.flow.binds
    return found


def _collections(training: Training) -> Iterator[Problem]:
    """What the loop fills and something needs afterwards: `xs.append(x)` and `xs[i] = x` are understood."""
    wanted = {average.accumulator for average in training.averages} | training.gathered
    for outer in training.towers_leaf.inner:
        for leaf in outer.every():
            if leaf.inner:
                continue
            for name in sorted(leaf.flow.mutates & wanted):
                if not _appends(leaf.node, name) and not _sets_one(leaf.node, name):
                    yield Problem(
                        leaf.node, _CODE, f"{name!r} collects from the towers in a way the tool cannot follow"
                    )


def _appends(node: cst.CSTNode, name: str) -> bool:
    return method_of(call_statement(node), name) in ("append", "extend")


def _sets_one(node: cst.CSTNode, name: str) -> bool:
    small = only_small(node)
    if not isinstance(small, cst.Assign) or len(small.targets) != 1:
        return False
    target = small.targets[0].target
    return (
        isinstance(target, cst.Subscript)
        and isinstance(target.value, cst.Name)
        and target.value.value == name
        and len(target.slice) == 1
        and isinstance(target.slice[0].slice, cst.Index)
    )


def _first_and_last(training: Training) -> Iterator[Problem]:
    """A fetched value made of what the first tower kept (`if i == 0:`) and of what the last one left."""
    first = _kept_from_first(training)
    if not first:
        return
    collected = {average.accumulator for average in training.averages} | training.gathered
    last = training.tower_binds - first - collected
    for step in training.steps:
        for fetch in step.fetches:
            names, symbols = _behind(training, step, fetch)
            summary = any("summary" in symbol for symbol in symbols)
            if names & first and names & last and not summary:
                one, other = sorted(names & first)[0], sorted(names & last)[0]
                message = f"{one!r} is the first tower's and {other!r} the last tower's, and one value is made of both"
                yield Problem(step.runs[0].call, _CODE, message)


def _behind(training: Training, step: Step, fetch: cst.BaseExpression) -> tuple[set[str], set[str]]:
    """Names that a fetched value depends on, back to the loop, and the symbols on the way."""
    names = set(flow_of(fetch).reads)
    symbols: set[str] = set()
    place = training.leaves.index(training.towers_leaf)
    after = [leaf for leaf in step.slice.leaves if training.leaves.index(leaf) > place]
    for leaf in reversed(after):
        if leaf.flow.writes & names:
            names |= leaf.flow.reads
            symbols |= training.effects[leaf].symbols
    return names, symbols


def _kept_from_first(training: Training) -> set[str]:
    targets = target_names(training.tower.loop.target)
    leaves: list[Leaf] = [leaf for one in training.leaves if one.kind == TOWERS for leaf in one.every()]
    found: set[str] = set()
    for leaf in leaves:
        node = leaf.node
        if isinstance(node, cst.If) and _is_name_zero(node.test) and flow_of(node.test).reads & targets:
            found |= flow_of(node.body).binds
    return found


def _is_name_zero(test: cst.BaseExpression) -> bool:
    """`i == 0`."""
    if (
        not isinstance(test, cst.Comparison)
        or not isinstance(test.left, cst.Name)
        or len(test.comparisons) != 1
    ):
        return False
    only = test.comparisons[0]
    return (
        isinstance(only.operator, cst.Equal)
        and isinstance(only.comparator, cst.Integer)
        and only.comparator.value == "0"
    )

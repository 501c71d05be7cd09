"""Last look before rewriting: anything that would change the program's meaning without a word (T2T3xx, T2T4xx)."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from tf2towers.names.cluster_calls import cluster_calls
from tf2towers.names.old_names import is_of_summaries, todays_name
from tf2towers.program.problem import Problem
from tf2towers.program.python_code.call_arguments import named
from tf2towers.program.python_code.data_flow import flow_of, upward_exposed
from tf2towers.program.python_code.search import find_all
from tf2towers.program.statements.symbol_roles import role
from tf2towers.program.statements.trainer_statement import DROPPED, INPUT, MIXED, TOWERS, TrainerStatement
from tf2towers.program.statements.value_kinds import (
    GET_NEXT,
    ITERATOR,
    PLAIN,
    SAVER,
    SESSION,
    STATE,
    SUPERVISOR,
    TENSOR,
    WRITER,
)
from tf2towers.program.training import Training
from tf2towers.rewrites.checks.cluster_checks import cluster_problems
from tf2towers.rewrites.checks.loop_checks import loop_problems

_ITERATORS = ("make_one_shot_iterator", "make_initializable_iterator")
_OF_SESSIONS = ("session", "monitored", "supervisor", "server", "placement", "synchronous", "coordination")
_TRAINING_METHODS = ("run", "minimize", "apply_gradients", "compute_gradients")
_OF_SESSION = ("should_stop", "close", "request_stop")


def check(training: Training, module: cst.Module) -> list[Problem]:
    """Problems that the program's parts do not show one by one."""
    found: list[Problem] = []
    found.extend(_never_run(training))
    found.extend(_graph_in_session(training))
    found.extend(_bound_on_both_sides(training))
    found.extend(_used_outside(training))
    found.extend(_session_elsewhere(training))
    found.extend(_made_inside(training))
    found.extend(_summaries_of_the_last(training))
    found.extend(sessions_elsewhere(training, module))
    found.extend(loop_problems(training))
    found.extend(cluster_problems(training))
    return found


def _never_run(training: Training) -> Iterator[Problem]:
    """The update has no session call."""
    if any(problem.code == "T2T401" for problem in training.problems):
        return  # the run may be among those that cannot be read
    if training.tower.is_of_devices:
        return  # nothing is trained
    if not any(step.trains for step in training.steps):
        what = "the update of the variables" if training.runs else "what the towers build"
        yield Problem(training.tower.loop, "T2T309", f"no session call here runs {what}")


def sessions_elsewhere(training: Training, module: cst.Module) -> Iterator[Problem]:
    """Sessions and updates in other functions than the one with the towers: nothing rewrites them there."""
    if isinstance(training.tower.owner, cst.Module):
        return
    canonical = training.value_kinds.resolver.canonical
    for statement in module.body:
        if statement is training.tower.owner:
            continue
        for call in find_all(statement, cst.Call):
            name = canonical(call.func)
            method = call.func.attr.value if isinstance(call.func, cst.Attribute) else None
            if role(name) in _OF_SESSIONS or (name is None and method in _TRAINING_METHODS):
                yield Problem(call, "T2T401", "training outside of the function that builds the towers")


def _summaries_of_the_last(training: Training) -> Iterator[Problem]:
    """Summaries behind the towers of what the last one computed: here the first tower alone makes summaries."""
    if not training.tower.is_loop:
        return
    canonical = training.value_kinds.resolver.canonical
    lists = {name for statement in _outside(training) for name in statement.flow.binds}
    kinds = training.value_kinds.names
    of_one = {name for name in training.tower_binds if kinds.get(name) != STATE} - lists
    graph = [statement for outer in training.graph for statement in outer.every() if outer.kind != TOWERS]
    for statement in (statement for statement in graph if not statement.inner):
        for call in find_all(statement.node, cst.Call):
            name = canonical(call.func) or ""
            if is_of_summaries(name) and "merge" not in name and flow_of(*call.args).reads & of_one:
                yield Problem(call, "T2T202", "a summary of the last tower's own value")
        if statement.kind == TENSOR:
            reads_it = bool(statement.flow.reads & of_one)
            of_one = of_one | statement.flow.binds if reads_it else of_one - statement.flow.binds


def graph_names(training: Training) -> set[str]:
    """Names that hold tensors of the graph, and are gone from the owner once it is split into functions."""
    names: set[str] = set(training.tower_binds)
    for statement in training.statements:
        if statement.kind in (TENSOR, INPUT):
            names |= statement.flow.binds
        elif statement.kind == MIXED:
            for inner in statement.every():
                if inner.kind in (TENSOR, INPUT) and not inner.inner:
                    names |= inner.flow.binds
    for statement in _outside(training):
        names -= statement.flow.binds
    return names - {name for rate in training.fed_rates for name in rate.names}


def _outside(training: Training) -> list[TrainerStatement]:
    return [
        statement for statement in training.statements if statement.kind in (SESSION, PLAIN, STATE, DROPPED)
    ]


def _calls_to_leave_out(training: Training) -> list[cst.CSTNode]:
    calls: list[cst.CSTNode] = [run.call for run in training.runs]
    calls.extend(training.dropped_runs)
    if training.batches is not None:
        canonical = training.value_kinds.resolver.canonical
        found = (call for statement in _outside(training) for call in find_all(statement.node, cst.Call))
        calls.extend(call for call in found if canonical(call.func) == "tf.train.start_queue_runners")
    calls.extend(problem.node for problem in training.problems if problem.code == "T2T401")  # told already
    return calls


def _graph_in_session(training: Training) -> Iterator[Problem]:
    for outer in training.statements:
        if outer.kind != SESSION:
            continue
        for statement in outer.every():
            if statement.kind in (TENSOR, MIXED) and not statement.inner:
                yield Problem(
                    statement.node, "T2T404", "graph building inside the session's part of the program"
                )


def _bound_on_both_sides(training: Training) -> Iterator[Problem]:
    """Names bound outside the graph that it reads and then binds again: in a function they would be local."""
    outside = {
        name
        for statement in training.statements
        if statement.kind in (PLAIN, STATE)
        for name in statement.flow.binds
    }
    exposed = upward_exposed(statement.node for statement in training.graph) & outside
    exposed -= training.body.flags | training.body.lists_bound_again
    for outer in training.graph:
        for statement in outer.every() if outer.kind != TOWERS else ():
            names = statement.flow.binds & exposed
            if names and statement.kind == TENSOR:
                message = f"{min(names)!r} begins as a plain value, and is bound again in the graph"
                yield Problem(statement.node, "T2T405", message)
                return


def _used_outside(training: Training) -> Iterator[Problem]:
    names = graph_names(training)
    out = _calls_to_leave_out(training)
    fed = {
        pipeline.statement: {name for given in pipeline.fed for name in given.names}
        for pipeline in training.pipelines
    }
    for statement in _outside(training):
        for inner in statement.every():
            if inner.inner:
                continue
            if inner.kind == DROPPED or (inner.kind == STATE and inner.detail in (WRITER, ITERATOR)):
                continue
            used = _reads_except(inner.node, out, training) & names - fed.get(inner, set())
            if isinstance(inner.node, cst.FunctionDef):
                used &= inner.flow.reads | inner.flow.mutates
            if inner.kind == STATE and used:
                yield Problem(
                    inner.node, "T2T304", f"{sorted(used)[0]!r} is a tensor, and state depends on it"
                )
            elif used:
                yield Problem(
                    inner.node,
                    "T2T403",
                    f"{sorted(used)[0]!r} is a tensor of the graph, used outside a session call",
                )


def _session_elsewhere(training: Training) -> Iterator[Problem]:
    sessions = {name for name, kind in training.value_kinds.names.items() if kind == SESSION}
    out = _calls_to_leave_out(training)
    for statement in _outside(training):
        for inner in statement.every():
            if inner.inner or inner.kind == DROPPED:
                continue
            if _reads_except(inner.node, out, training) & sessions and not _closes(inner):
                yield Problem(inner.node, "T2T401", "the session goes to code that the tool does not follow")


def _closes(statement: TrainerStatement) -> bool:
    """A statement about the session itself that goes: its making, `sess.close()`."""
    return isinstance(statement.node, cst.SimpleStatementLine) and any(
        isinstance(small, cst.Expr)
        and isinstance(small.value, cst.Call)
        and isinstance(small.value.func, cst.Attribute)
        and small.value.func.attr.value in ("close", "as_default", "finalize")
        for small in statement.node.body
    )


def _made_inside(training: Training) -> Iterator[Problem]:
    """Placeholders, iterators and variables that would be made inside a tf.function, at every call."""
    canonical = training.value_kinds.resolver.canonical
    used = [
        training.tower_loop_statement,
        *training.tower_needs.statements,
        *(statement for step in training.steps for statement in step.slice.statements),
    ]
    for outer in dict.fromkeys(used):
        for statement in outer.every():
            if statement.inner or statement.kind == INPUT or statement.detail == ITERATOR:
                continue
            for call in find_all(statement.node, cst.Call):
                name = canonical(call.func)
                summary = training.functions.summary(name) if name is not None else None
                method = call.func.attr.value if isinstance(call.func, cst.Attribute) else None
                takes = isinstance(call.func, cst.Attribute) and training.value_kinds.of(call) == GET_NEXT
                if role(name) == "placeholder" or method in _ITERATORS or takes:
                    yield Problem(call, "T2T305", "an input that would be made inside a step")
                elif summary is not None and summary.makes_inputs:
                    yield Problem(call, "T2T305", f"{name} makes inputs where the towers run")
                elif outer.kind == MIXED and statement.kind != STATE and role(name) == "optimizer":
                    yield Problem(call, "T2T304", "an optimizer that would be made inside a step")
                elif statement.kind != STATE and (
                    name == "tf.Variable" or (summary is not None and "tf.Variable" in summary.symbols)
                ):
                    yield Problem(call, "T2T304", "a variable that would be made inside a step")


def _reads_except(node: cst.CSTNode, out: list[cst.CSTNode], training: Training) -> set[str]:
    """Names a statement reads, session calls and the session argument of savers and writers left out."""
    reads: set[str] = set()
    value_kinds = training.value_kinds

    class Visitor(cst.CSTVisitor):
        def visit_Call(self, call: cst.Call) -> bool:
            if any(call is other for other in out):
                return False
            func = call.func
            if isinstance(func, cst.Attribute) and value_kinds.of(func.value) in (SAVER,) and call.args:
                for argument in call.args[1:]:
                    argument.visit(self)
                return False
            canonical = value_kinds.resolver.canonical(func)
            if canonical in cluster_calls() and training.tower.cluster is not None:
                found = cluster_calls()[canonical]
                for name, argument in named(call, found.order):
                    if name in found.kept:
                        argument.visit(self)
                return False
            if isinstance(func, cst.Attribute) and value_kinds.of(func.value) == SUPERVISOR:
                if func.attr.value == "summary_computed":
                    for argument in call.args[1:]:
                        argument.visit(self)
                return False
            if (
                isinstance(func, cst.Attribute)
                and value_kinds.of(func.value) == SESSION
                and func.attr.value in _OF_SESSION
            ):
                return False
            if canonical is not None and todays_name(canonical) == "tf.summary.FileWriter":
                if call.args:
                    call.args[0].visit(self)
                return False
            return True

        def visit_AssignTarget(self, target: cst.AssignTarget) -> bool:
            return not isinstance(target.target, cst.Name | cst.Tuple | cst.List)

        def visit_Attribute(self, attribute: cst.Attribute) -> bool:
            if attribute.attr.value == "add_graph":
                return False
            attribute.value.visit(self)
            return False

        def visit_Arg(self, argument: cst.Arg) -> bool:
            argument.value.visit(self)
            return False

        def visit_Dict(self, node: cst.Dict) -> bool:
            if value_kinds.is_feed(node):
                for element in node.elements:
                    element.value.visit(self)
                return False
            return True

        def visit_Name(self, name: cst.Name) -> None:
            reads.add(name.value)

    node.visit(Visitor())
    return reads

"""The session's calls grouped into steps: what each computes, needs and takes."""

from __future__ import annotations

import libcst as cst

from tf2towers.program.python_code.backward_slices import slice_for
from tf2towers.program.python_code.data_flow import flow_of, root_name, target_names, upward_exposed
from tf2towers.program.python_code.search import code_of, find_all
from tf2towers.program.python_code.side_effects import CHECKS, SUMMARIES
from tf2towers.program.sessions.batch_input import Input
from tf2towers.program.sessions.saved_summaries import writes_summaries
from tf2towers.program.sessions.session_runs import Run, RunFinder
from tf2towers.program.statements.trainer_statement import TOWERS, TrainerStatement
from tf2towers.program.statements.value_kinds import (
    GET_NEXT,
    OPTIMIZER,
    PLACEHOLDER,
    PLAIN,
    SESSION,
    TENSOR,
    VARIABLE_LISTS,
)
from tf2towers.program.towers.part_of_a_tower import narrow_to_part
from tf2towers.program.training import Step, Training


def read_runs(training: Training) -> None:
    """Fills in the session's calls."""
    finder = RunFinder(training.value_kinds)
    for statement in training.statements:
        if statement.kind in (SESSION, PLAIN):
            statement.node.visit(finder)
    training.runs = finder.runs
    training.dropped_runs = finder.dropped
    for unreadable in finder.unreadable:
        training.problem(unreadable.call, "T2T401", f"a session call the tool cannot read: {unreadable.why}")


def read_steps(training: Training) -> None:
    """Fills in what the tower needs, and one step for every kind of session call."""
    graph = training.graph
    towers = training.tower_loop_statement
    effects = training.effects
    training.tower_binds = {
        name for inner in towers.inner for statement in inner.every() for name in statement.flow.writes
    } - target_names(training.tower.loop.target)
    before_towers = graph[: graph.index(towers)]
    loop_reads = upward_exposed(training.tower.loop.body.body) | effects[towers].reads
    loop_reads |= flow_of(training.tower.loop.iter).reads  # `for part in image_parts:`
    for context in towers.contexts:
        loop_reads |= flow_of(*context.items).reads
    training.tower_needs = slice_for(loop_reads, before_towers, effects)
    for statement in graph:
        if any(_is_print(small) for small in _statements_for_their_reader(statement)):
            training.problem(
                statement.node, "T2T404", "a message about tensors, which every tracing of a step would print"
            )
    by_key: dict[tuple[str, ...], Step] = {}
    _make_steps(training, by_key)
    _join_steps(training)
    for step in training.steps:
        narrow_to_part(training, step, {name for fetch in step.fetches for name in flow_of(fetch).reads})
        if any(input_.each_tower for input_ in step.inputs) and not _is_of_all_towers(training, step):
            training.problem(step.runs[0].call, "T2T306", "a run that takes the batch of some towers only")


def _is_of_all_towers(training: Training, step: Step) -> bool:
    """Whether a step computes something of what every tower gave, and so runs every tower in TF1, too."""
    behind = [statement.node for statement in training.behind_towers(step.slice.statements)]
    nodes = [*behind, *step.fetches]
    collected = training.gathered | {average.accumulator for average in training.averages}
    parts = {root_name(part.value) for node in nodes for part in find_all(node, cst.Subscript)}
    return step.trains or bool(flow_of(*nodes).reads & collected - parts)


def _make_steps(training: Training, by_key: dict[tuple[str, ...], Step]) -> None:
    for run in training.runs:
        if _takes_a_batch(training, run):
            training.problem(run.call, "T2T402", "a run that takes a batch and computes nothing")
            continue
        key = tuple(code_of(fetch) for fetch in run.fetches) + (("[]",) if run.is_list else ())
        if training.tower.is_of_devices:
            key += (
                str(len(_statements_before_run(training, run, training.graph))),
            )  # names stand for what they do there
        step = by_key.get(key)
        if step is None:
            step = by_key[key] = _step(training, run)
            if not step.uses_towers and training.tower.cluster is None and _names_variables(training, step):
                training.problem(
                    run.call, "T2T404", "variables are asked for before the first step makes them"
                )
            training.steps.append(step)
        else:
            step.runs.append(run)


def _join_steps(training: Training) -> None:
    """A run whose result nobody takes calls the step of a run that fetches the same and more: one model body less.

    `sess.run(train_op, feed)`, and `_, loss_now = sess.run([train_op, loss], feed)` now and then.
    """
    for step in list(training.steps):
        if all(run.result_is_left for run in step.runs):
            whole = next(
                (other for other in training.steps if _computes_no_more(training, step, other)), None
            )
            if whole is not None:
                whole.runs += step.runs
                training.steps.remove(step)


def _computes_no_more(training: Training, step: Step, whole: Step) -> bool:
    """Whether another step fetches all that a training step does, and besides only values without any effect."""
    fetched, all_fetched = ({code_of(fetch) for fetch in each.fetches} for each in (step, whole))
    more = [statement for statement in whole.slice.statements if statement not in step.slice.statements]
    return (
        (step.trains and whole.trains and fetched < all_fetched)
        and step.uses_towers == whole.uses_towers
        and step.inputs == whole.inputs
        and set(step.slice.statements) <= {*whole.slice.statements}
        and all(statement.kind == TENSOR and not _has_effects(training, statement) for statement in more)
    )


def _has_effects(training: Training, statement: TrainerStatement) -> bool:
    effects = training.effects[statement]
    return bool({SUMMARIES, CHECKS} & (effects.reads | effects.writes)) or has_update(training, statement)


def _takes_a_batch(training: Training, run: Run) -> bool:
    """Whether a run fetches a batch, and nothing else: `sess.run([images, labels])`."""
    taken = {name for input_ in training.inputs if input_.kind == GET_NEXT for name in input_.names}
    return all(isinstance(fetch, cst.Name) and fetch.value in taken for fetch in run.fetches)


def _names_variables(training: Training, step: Step) -> bool:
    """Whether a step asks for a list of the graph's variables."""
    canonical = training.value_kinds.resolver.canonical
    nodes = [*step.fetches, *(statement.node for statement in step.slice.statements)]
    return any(canonical(call.func) in VARIABLE_LISTS for node in nodes for call in find_all(node, cst.Call))


def _step(training: Training, run: Run) -> Step:
    wanted = set().union(*(flow_of(fetch).reads for fetch in run.fetches))
    graph = training.graph
    towers = training.tower_loop_statement
    if training.tower.is_of_devices:
        graph = _statements_before_run(training, run, graph)
    piece = slice_for(wanted, graph, training.effects)
    trains = any(has_update(training, statement) for statement in piece.statements)
    if trains:
        checks = [
            statement
            for statement in graph
            if statement not in piece.statements and _statements_for_their_reader(statement)
        ]
        if checks:
            wanted |= {CHECKS}
            for statement in checks:
                training.effects[statement].writes.add(CHECKS)
            piece = slice_for(wanted, graph, training.effects)
    if trains and training.tower.cluster is not None:
        wanted |= {SUMMARIES} if writes_summaries(training) else set()
        piece = slice_for(wanted, graph, training.effects)
    uses_towers = towers in piece.statements
    needs = set(piece.needs)
    if uses_towers:
        needs |= training.tower_needs.needs
    step = Step(run.fetches, [run], piece, uses_towers, trains)
    step.inputs = _in_force(training, run) if not training.tower.is_loop else list(training.inputs)
    makers = [
        statement
        for statement in training.every
        if statement.detail == OPTIMIZER
        and trains
        and statement.flow.binds & (piece.needs | training.tower_binds)
    ]
    needs |= {
        name
        for statement in makers
        for name in statement.flow.reads
        if any(name in rate.names for rate in training.fed_rates)
    }
    step.inputs.sort(key=lambda input_: input_.kind == PLACEHOLDER)  # what is fed comes last
    step.inputs = [
        input_
        for input_ in step.inputs
        if (input_.each_tower and uses_towers) or set(input_.names) & (needs | wanted)
    ]
    return step


def _statements_before_run(
    training: Training, run: Run, statements: list[TrainerStatement]
) -> list[TrainerStatement]:
    """Those of some statements that stand before a run."""
    order = {statement: place for place, statement in enumerate(training.statements)}
    at = next(
        place
        for statement, place in order.items()
        if any(call is run.call for call in find_all(statement.node, cst.Call))
    )
    return [statement for statement in statements if order.get(statement, -1) < at]


def _in_force(training: Training, run: Run) -> list[Input]:
    """The inputs that names stand for where a run is, in a program whose statements run one after the other."""
    tops = {statement: outer for outer in training.statements for statement in outer.every()}
    earlier = set(_statements_before_run(training, run, training.statements))
    found: dict[tuple[str, ...], Input] = {}
    for input_ in training.inputs:
        if training.tower.cluster is not None or tops[input_.statement] in earlier:
            found[tuple(input_.names)] = input_
    return list(found.values())


def has_update(training: Training, statement: TrainerStatement) -> bool:
    """Whether the statement applies gradients."""
    if statement.kind == TOWERS:
        return False
    return any(
        isinstance(call.func, cst.Attribute)
        and call.func.attr.value in ("apply_gradients", "minimize")
        and training.value_kinds.of(call.func.value) == OPTIMIZER
        for call in find_all(statement.node, cst.Call)
    )


def _statements_for_their_reader(statement: TrainerStatement) -> list[cst.BaseSmallStatement]:
    """The checks, prints and log lines about tensors that a statement consists of: they are there for their effect."""
    if (
        statement.kind != TENSOR
        or not isinstance(statement.node, cst.SimpleStatementLine)
        or statement.flow.writes
    ):
        return []
    found = [small for small in statement.node.body if isinstance(small, cst.Assert) or _is_print(small)]
    return found if len(found) == len(statement.node.body) else []


def _is_print(small: cst.BaseSmallStatement) -> bool:
    if not isinstance(small, cst.Expr) or not isinstance(small.value, cst.Call):
        return False
    root = root_name(small.value.func)
    return root in ("print", "logging", "log", "logger")

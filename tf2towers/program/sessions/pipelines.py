"""Input pipelines that a function of the script makes, and what their iterators are begun with."""

from __future__ import annotations

import libcst as cst

from tf2towers.program.problem import Problem
from tf2towers.program.python_code.data_flow import flow_of
from tf2towers.program.python_code.search import find_all
from tf2towers.program.sessions.batch_input import Input
from tf2towers.program.statements.trainer_statement import INPUT, TrainerStatement
from tf2towers.program.statements.value_kinds import DATASET, ITERATOR, PLACEHOLDER
from tf2towers.program.training import Pipeline, Training


def read_pipelines(training: Training) -> list[Pipeline]:
    """The pipelines that functions make for iterators that a session begins."""
    found: list[Pipeline] = []
    for statement in training.statements:
        assign = statement.assign
        if statement.detail != DATASET or assign is None or not isinstance(assign.value, cst.Call):
            continue
        if training.value_kinds.datasets_given(assign.value) is None:
            continue
        placeholders = [input_ for input_ in training.inputs if set(input_.names) & statement.flow.reads]
        iterators = [other for other in training.statements if _begins_later(training, other, statement)]
        if placeholders or iterators:
            made = _pipeline(training, statement, assign.value, iterators, placeholders)
            if isinstance(made, Problem):
                training.problems.append(made)
            else:
                found.append(made)
    return found


def values_fed(run: cst.Call) -> dict[str, cst.BaseExpression]:
    """What a run feeds, by the placeholder's name, where that is written in the call."""
    return {
        element.key.value: element.value
        for argument in run.args[1:]
        if isinstance(argument.value, cst.Dict)
        for element in argument.value.elements
        if isinstance(element, cst.DictElement) and isinstance(element.key, cst.Name)
    }


def _pipeline(
    training: Training,
    statement: TrainerStatement,
    call: cst.Call,
    iterators: list[TrainerStatement],
    placeholders: list[Input],
) -> Pipeline | Problem:
    if training.tower.cluster is not None:
        return Problem(statement.node, "T2T305", "a worker's pipeline that its session begins")
    if len(iterators) != 1 or any(placeholder.kind != PLACEHOLDER for placeholder in placeholders):
        return Problem(
            statement.node, "T2T305", "a pipeline that is given what no single iterator is begun with"
        )
    (dataset,) = iterators[0].flow.reads & statement.flow.binds
    names = {name for placeholder in placeholders for name in placeholder.names}
    begun = [run for run in training.dropped_runs if _begins(run, iterators[0])]
    for other in training.single:
        if other is statement or other is iterators[0] or other.kind == INPUT:
            continue
        if dataset in other.flow.reads | other.flow.binds:
            return Problem(other.node, "T2T305", f"{dataset!r} is used beside its iterator")
        if other.flow.reads & names and not any(run in find_all(other.node, cst.Call) for run in begun):
            return Problem(other.node, "T2T305", "a pipeline's placeholder that is read beside it")
    for run in begun:
        if set(values_fed(run)) != names:
            return Problem(run, "T2T305", "an iterator that is begun without its placeholders")
    return Pipeline(statement, call, dataset, iterators[0], placeholders)


def _begins_later(training: Training, iterator: TrainerStatement, pipeline: TrainerStatement) -> bool:
    """Whether an iterator of a pipeline is one that a session begins."""
    return (
        iterator.detail == ITERATOR
        and bool(flow_of(iterator.node).reads & pipeline.flow.binds)
        and any(_begins(run, iterator) for run in training.dropped_runs)
    )


def _begins(run: cst.Call, iterator: TrainerStatement) -> bool:
    """Whether a run is `sess.run(iterator.initializer)`."""
    return any(
        isinstance(node.value, cst.Name)
        and node.value.value in iterator.flow.binds
        and node.attr.value == "initializer"
        for node in find_all(run, cst.Attribute)
    )

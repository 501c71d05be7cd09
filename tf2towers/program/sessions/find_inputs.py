"""Which inputs a program has, and from where each name of a batch comes."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from tf2towers.program.problem import Problem
from tf2towers.program.python_code.search import find_all
from tf2towers.program.sessions.batch_input import read_input
from tf2towers.program.statements.trainer_statement import INPUT, TrainerStatement
from tf2towers.program.statements.value_kinds import GET_NEXT, ITERATOR, PLACEHOLDER, SESSION
from tf2towers.program.training import Training


def _read_input_of_each_tower(training: Training, statement: TrainerStatement) -> None:
    """`images, labels = iterator.get_next()` in the loop: TF1 leaves open in which order the towers take batches."""
    found = read_input(statement, training.value_kinds)
    if isinstance(found, Problem):
        training.problems.append(found)
    elif not found.queued and (found.kind != GET_NEXT or not _is_iterator_beside(training, found.source)):
        training.problem(statement.node, "T2T306", "an input that every tower makes for itself")
    elif statement not in _always_run(training.tower_loop_statement.inner):
        training.problem(statement.node, "T2T306", "a batch that not every tower takes")
    else:
        found.each_tower = True
        training.batches = found if found.queued else training.batches
        training.inputs.append(found)


def _is_iterator_beside(training: Training, source: cst.BaseExpression) -> bool:
    """Whether it is the name of an iterator that is made outside the loop, and each tower takes one batch from it."""
    if not isinstance(source, cst.Name):
        return False
    made = [statement for statement in training.statements if source.value in statement.flow.binds]
    towers = training.tower_loop_statement
    named = [name for name in find_all(towers.node, cst.Name) if name.value == source.value]
    return len(made) == 1 and made[0].detail == ITERATOR and len(named) == 1


def _always_run(statements: list[TrainerStatement]) -> Iterator[TrainerStatement]:
    """The statements of a tower that stand in no branch or loop."""
    for statement in statements:
        if isinstance(statement.node, cst.With) and statement.inner:
            yield from _always_run(statement.inner)
        else:
            yield statement


def read_inputs(training: Training) -> None:
    """Fills in the inputs of the program."""
    for outer in training.statements:
        for statement in outer.every():
            if statement.kind != INPUT or statement.inner:
                continue
            if outer.kind == SESSION:
                training.problem(statement.node, "T2T305", "an input made inside the session's loop")
            elif outer is training.tower_loop_statement:
                _read_input_of_each_tower(training, statement)
            else:
                found = read_input(statement, training.value_kinds)
                if isinstance(found, Problem):
                    training.problems.append(found)
                elif found.queued:
                    training.batches = found
                    training.inputs += [] if training.body.are_prefetched else [found]
                else:
                    training.inputs.append(found)
    for input_ in training.inputs:
        others = [
            other for other in training.inputs if other is not input_ and set(other.names) & set(input_.names)
        ]
        if input_.kind != PLACEHOLDER and any(other.kind != PLACEHOLDER for other in others):
            message = f"{', '.join(input_.names)} comes from more than one place"
            training.problem(input_.statement.node, "T2T305", message)

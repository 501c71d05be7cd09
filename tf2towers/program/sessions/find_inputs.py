"""Which inputs a program has, and from where each name of a batch comes."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from tf2towers.program.problem import Problem
from tf2towers.program.python_code.search import find_all
from tf2towers.program.sessions.batch_input import read_input
from tf2towers.program.statements.trainer_statement import INPUT, Leaf
from tf2towers.program.statements.value_kinds import GET_NEXT, ITERATOR, PLACEHOLDER, SESSION
from tf2towers.program.training import Training


def _read_input_of_each_tower(training: Training, leaf: Leaf) -> None:
    """`images, labels = iterator.get_next()` in the loop: TF1 leaves open in which order the towers take batches."""
    found = read_input(leaf, training.kinds)
    if isinstance(found, Problem):
        training.problems.append(found)
    elif not found.queued and (found.kind != GET_NEXT or not _is_iterator_beside(training, found.source)):
        training.problem(leaf.node, "T2T306", "an input that every tower makes for itself")
    elif leaf not in _always_run(training.towers_leaf.inner):
        training.problem(leaf.node, "T2T306", "a batch that not every tower takes")
    else:
        found.each_tower = True
        training.batches = found if found.queued else training.batches
        training.inputs.append(found)


def _is_iterator_beside(training: Training, source: cst.BaseExpression) -> bool:
    """Whether it is the name of an iterator that is made outside the loop, and each tower takes one batch from it."""
    if not isinstance(source, cst.Name):
        return False
    made = [leaf for leaf in training.leaves if source.value in leaf.flow.binds]
    towers = training.towers_leaf
    named = [name for name in find_all(towers.node, cst.Name) if name.value == source.value]
    return len(made) == 1 and made[0].detail == ITERATOR and len(named) == 1


def _always_run(leaves: list[Leaf]) -> Iterator[Leaf]:
    """The statements of a tower that stand in no branch or loop."""
    for leaf in leaves:
        if isinstance(leaf.node, cst.With) and leaf.inner:
            yield from _always_run(leaf.inner)
        else:
            yield leaf


def read_inputs(training: Training) -> None:
    """Fills in the inputs of the program."""
    for outer in training.leaves:
        for leaf in outer.every():
            if leaf.kind != INPUT or leaf.inner:
                continue
            if outer.kind == SESSION:
                training.problem(leaf.node, "T2T305", "an input made inside the session's loop")
            elif outer is training.towers_leaf:
                _read_input_of_each_tower(training, leaf)
            else:
                found = read_input(leaf, training.kinds)
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
            training.problem(input_.leaf.node, "T2T305", message)

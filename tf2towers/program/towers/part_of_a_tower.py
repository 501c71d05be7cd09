"""The part of the tower that a step needs, where the whole takes what the step is not given."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from tf2towers.program.python_code.backward_slices import slice_for
from tf2towers.program.python_code.data_flow import flow_of
from tf2towers.program.python_code.side_effects import effects_of
from tf2towers.program.sessions.batch_input import Input
from tf2towers.program.sessions.session_runs import Run
from tf2towers.program.statements.trainer_statement import TrainerStatement
from tf2towers.program.statements.value_kinds import PLACEHOLDER
from tf2towers.program.training import Step, TowerPart, Training


def narrow_to_part(training: Training, step: Step, wanted: set[str]) -> None:
    """Narrows a step to the part of the tower it needs, when the whole takes an input that the step does not.

    As in TF1, where a session call that does not need a batch does not take it from its iterator or queue.
    """
    if not step.uses_towers:
        return
    towers = training.tower_loop_statement
    after = training.behind_towers(step.slice.statements)
    names = set(wanted) | {
        name for statement in after for name in statement.flow.reads | training.effects[statement].reads
    }
    units = list(_units(towers.inner))
    for unit in units:
        training.effects.setdefault(
            unit, effects_of(unit.node, training.value_kinds.resolver, training.functions)
        )
    piece = slice_for(names, units, training.effects)
    heads = {name for statement in towers.inner for name in _with_reads(statement)}
    graph = training.graph
    slice_before = slice_for(piece.needs | heads, graph[: graph.index(towers)], training.effects)
    needs = piece.needs | slice_before.needs | names
    inputs = [
        input_ for input_ in step.inputs if input_.statement in piece.statements or set(input_.names) & needs
    ]
    if len(inputs) == len(step.inputs):
        return
    drawn = any(input_.kind != PLACEHOLDER for input_ in step.inputs if input_ not in inputs)
    if not drawn and all(_available(training, run, step.inputs) for run in step.runs):
        return
    if all(_available(training, run, inputs) for run in step.runs):
        of_tower = [
            input_
            for input_ in inputs
            if input_.statement in piece.statements or set(input_.names) & (piece.needs | slice_before.needs)
        ]
        step.part = TowerPart(set(piece.statements), slice_before, of_tower)
        step.inputs = inputs


def _available(training: Training, run: Run, inputs: list[Input]) -> bool:
    if run.feed_name is not None:
        return True  # told later
    for input_ in inputs:
        for name in input_.names:
            others = [other for other in training.inputs if name in other.names]
            if name not in run.feeds and not any(other.kind != PLACEHOLDER for other in others):
                return False
    return True


def _units(statements: list[TrainerStatement]) -> Iterator[TrainerStatement]:
    for statement in statements:
        if isinstance(statement.node, cst.With) and statement.inner:
            yield from _units(statement.inner)
        else:
            yield statement


def _with_reads(statement: TrainerStatement) -> set[str]:
    if not isinstance(statement.node, cst.With):
        return set()
    reads = flow_of(*statement.node.items).reads
    for inner in statement.inner:
        reads |= _with_reads(inner)
    return reads

"""Tower loops that stand in another block, or whose statistics are nobody's (T2T302, T2T303, T2T304)."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from tf2towers.program.problem import Problem
from tf2towers.program.python_code.search import find_all
from tf2towers.program.statements.trainer_statement import TOWERS
from tf2towers.program.training import Training
from tf2towers.rewrites.functions.kept_statistics import statistics_kept


def loop_problems(training: Training) -> Iterator[Problem]:
    """Shapes of a tower loop that a replica function cannot have."""
    if training.tower.is_loop:
        yield from _stands_in(training)
        yield from _unclear_statistics(training)
        yield from _made_in_functions(training)


def _stands_in(training: Training) -> Iterator[Problem]:
    """The loop inside another statement than a with block or `if __name__ == '__main__'`."""
    parents = training.tower.parents
    owner = training.tower.owner
    for parent in parents[next(place for place, node in enumerate(parents) if node is owner) + 1 :]:
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


def _unclear_statistics(training: Training) -> Iterator[Problem]:
    """UPDATE_OPS that are filled in the towers and not read there: whether they are run cannot be seen."""
    symbols = training.effects[training.tower_loop_statement].symbols
    if statistics_kept(training) == "none" and "tf.get_collection" in symbols:
        yield Problem(
            training.tower.loop, "T2T303", "moving statistics whose updates are not read in the tower"
        )


def _made_in_functions(training: Training) -> Iterator[Problem]:
    """tf.Variable among the tensors: its statement goes into a function that runs again and again."""
    moved = [
        *training.tower_needs.statements,
        *(statement for step in training.steps for statement in step.slice.statements),
    ]
    for statement in dict.fromkeys(moved):
        if statement.kind != TOWERS and "tf.Variable" in training.effects[statement].symbols:
            yield Problem(
                statement.node, "T2T304", "variables and tensors made in one statement: tf.Variable is state"
            )

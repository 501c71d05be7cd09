"""Which inputs a program has, and from where each name of a batch comes."""

from __future__ import annotations

from tf2towers.program.problem import Problem
from tf2towers.program.sessions.batch_input import read_input
from tf2towers.program.statements import value_kinds as k
from tf2towers.program.statements.trainer_statement import INPUT
from tf2towers.program.training import Training


def read_inputs(training: Training) -> None:
    """Fills in the inputs of the program."""
    for outer in training.leaves:
        for leaf in outer.every():
            if leaf.kind != INPUT or leaf.inner:
                continue
            if outer.kind == k.SESSION:
                training.problem(leaf.node, "T2T305", "an input made inside the session's loop")
            elif outer is training.towers_leaf:
                training.problem(leaf.node, "T2T306", "an input that every tower makes or takes for itself")
            else:
                found = read_input(leaf, training.kinds)
                if isinstance(found, Problem):
                    training.problems.append(found)
                else:
                    training.inputs.append(found)
    for one in training.inputs:
        others = [
            other for other in training.inputs if other is not one and set(other.names) & set(one.names)
        ]
        if one.kind != k.PLACEHOLDER and any(other.kind != k.PLACEHOLDER for other in others):
            message = f"{', '.join(one.names)} comes from more than one place"
            training.problem(one.leaf.node, "T2T305", message)

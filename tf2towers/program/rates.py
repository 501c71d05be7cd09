"""Learning rates that are tensors."""

from __future__ import annotations

from tf2towers.program import kinds as k
from tf2towers.program.model import RATE, Training
from tf2towers.program.slices import slice_for


def read_rates(training: Training) -> None:
    """Learning rates that are tensors: fed through a placeholder, or worked out from the step.

    An optimizer is made once and outlives a call, so it takes its rate from a function of nothing.
    """
    bound = {name: leaf for leaf in training.graph if leaf.kind == k.TENSOR for name in leaf.flow.binds}
    placeholders = {one.names[0]: one for one in training.inputs if one.kind == k.PLACEHOLDER}
    for outer in training.leaves:
        for leaf in outer.every():
            if leaf.detail != k.OPTIMIZER or leaf.inner:
                continue
            for name in sorted(leaf.flow.reads & (set(bound) | set(placeholders))):
                if name in placeholders:
                    training.fed_rates.append(placeholders[name])
                elif name in bound:
                    place = training.graph.index(bound[name])
                    piece = slice_for({name}, training.graph[: place + 1], training.effects)
                    if piece.needs & set(placeholders) or any(one.kind != k.TENSOR for one in piece.leaves):
                        continue
                    training.rates[name] = piece
                    bound[name].kind = RATE
                training.kinds.names[name] = k.SCHEDULE

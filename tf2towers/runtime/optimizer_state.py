"""What a TF1 optimizer remembers, under the names it had in the TF1 graph."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from tf2towers.runtime.initial_values import outside_every_graph
from tf2towers.runtime.slot_names import slot_name
from tf2towers.runtime.tower_values import tower_name
from tf2towers.runtime.variable_store import VariableStore


def register(store: VariableStore, opt: Any) -> None:
    """Notes that `opt` applies gradients in the name scope in force, as TF1 made its variables there."""
    if not any(opt is other for other, _ in store.optimizers):
        store.optimizers.append((opt, tower_name(tf.get_current_name_scope())))


def other_variables(store: VariableStore) -> dict[str, Any]:
    """The variables of the optimizers that are no slots (Adam's powers of beta), by their TF1 names."""
    found: dict[str, Any] = {}
    for opt, scope in store.optimizers:
        for variable in getattr(opt, "_get_beta_accumulators", tuple)():
            if variable is None:  # no gradient has been applied yet
                continue
            name = variable.name.split(":")[0].rsplit("/", 1)[-1]
            name = f"{scope}/{name}" if scope else name
            found[slot_name(name, found)] = variable
    return found


def restore_pending(store: VariableStore) -> None:
    """Gives the variables of `other_variables` the values that a checkpoint restored before they existed."""
    waiting = [
        (variable, value)
        for name, variable in other_variables(store).items()
        if (value := store.take_pending(name, trainable=False)) is not None
    ]

    def restore() -> None:
        for variable, value in waiting:
            variable.assign(value)

    if waiting:
        outside_every_graph(restore)

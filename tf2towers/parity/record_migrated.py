"""Records a migrated trainer through the runtime's own functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

from tf2towers.parity.recording import Recording, Step
from tf2towers.runtime import averaging, variable_store
from tf2towers.runtime.towers import tower_index


class MigratedRecorder:
    """Watches `tower_gradients` and `apply_gradients` of the runtime while their functions are traced."""

    def __init__(self, tower_order: bool = False) -> None:
        self._recording = Recording()
        self._losses: dict[int, np.ndarray] = {}
        self._stores: list[variable_store.VariableStore] = []
        self._before: dict[str, Any] = {}
        self._order = averaging.in_tower_order(tower_order)
        self._order.__enter__()  # for the whole run
        self._patch()

    def _patch(self) -> None:
        register = variable_store.VariableStore._register_earlier_variables
        recorder = self

        def entering(store: variable_store.VariableStore) -> None:
            """The first thing a tower's function does: the variables are still as the last step left them."""
            if variable_store.updates_run() and tower_index() == 0:
                recorder._before = {name: store[name].read_value() for name in store.names()}
            register(store)

        variable_store.VariableStore._register_earlier_variables = entering  # type: ignore[method-assign,assignment]
        tower_gradients, apply_gradients = averaging.tower_gradients, averaging.apply_gradients

        def recorded_gradients(loss: Any, *args: Any, **kwargs: Any) -> Any:
            if variable_store.updates_run():
                tower = tower_index()
                tf.numpy_function(lambda value: self._losses.__setitem__(tower, np.array(value)), [loss], [])
            return tower_gradients(loss, *args, **kwargs)

        def recorded_apply(opt: Any, grads_and_vars: Any, *args: Any, **kwargs: Any) -> Any:
            pairs = list(grads_and_vars)
            if tower_index() == 0:
                with tf.control_dependencies([self._record(pairs)]):
                    return apply_gradients(opt, pairs, *args, **kwargs)
            return apply_gradients(opt, pairs, *args, **kwargs)

        averaging.tower_gradients, averaging.apply_gradients = recorded_gradients, recorded_apply

    def _record(self, pairs: list[tuple[Any, Any]]) -> Any:
        """An op that notes the gradients, and the variables as this step met them."""
        store = variable_store.current_store()
        if store not in self._stores:
            self._stores.append(store)
        present = [(g, v) for g, v in pairs if g is not None]
        gradient_names = [store.name_of(v) for _, v in present]
        names = list(self._before)
        gradients = [tf.convert_to_tensor(g) for g, _ in present]
        variables = list(self._before.values())

        def note(*values: Any) -> None:
            copies = [np.array(value) for value in values]
            step = Step(
                gradients=dict(zip(gradient_names, copies[: len(gradients)], strict=True)),
                variables=dict(zip(names, copies[len(gradients) :], strict=True)),
            )
            step.losses = [self._losses[tower] for tower in sorted(self._losses)]
            self._recording.steps.append(step)

        return tf.numpy_function(note, [*gradients, *variables], [])

    def finish(self) -> Recording:
        """The recording, with the variables as the last step left them."""
        for store in self._stores:
            self._recording.final.update({name: store[name].numpy() for name in store.names()})
        return self._recording

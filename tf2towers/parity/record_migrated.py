"""Records a migrated trainer through the runtime's own functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

from tf2towers.parity.recording import Recording, Step
from tf2towers.runtime import averaging, variable_store
from tf2towers.runtime.saver import Saver
from tf2towers.runtime.towers import tower_index


class MigratedRecorder:
    """Watches `tower_gradients` and `apply_gradients` of the runtime while their functions are traced."""

    def __init__(self, tower_order: bool = False) -> None:
        self._recording = Recording()
        self._losses: dict[int, np.ndarray] = {}
        self._stores: list[variable_store.VariableStore] = []
        self._variables_now: dict[
            str, np.ndarray
        ] = {}  # as the next step will meet them; the first makes them
        self._order = averaging.in_tower_order(tower_order)
        self._order.__enter__()  # for the whole run
        self._patch()

    def _patch(self) -> None:
        function = tf.function
        recorder = self

        def recorded_function(*args: Any, **kwargs: Any) -> Any:
            made = function(*args, **kwargs)
            if args and callable(args[0]):
                return _Recorded(made, recorder)
            return lambda python_function: _Recorded(made(python_function), recorder)

        tf.function = recorded_function
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
        """An op that notes the gradients and the losses of the step."""
        store = variable_store.current_store()
        if store not in self._stores:
            self._stores.append(store)
        present = [(g, v) for g, v in pairs if g is not None]
        names = [store.name_of(v) for _, v in present]

        def note(*values: Any) -> None:
            step = Step(gradients={name: np.array(value) for name, value in zip(names, values, strict=True)})
            step.variables = self._variables_now
            step.losses = [self._losses[tower] for tower in sorted(self._losses)]
            self._recording.steps.append(step)

        return tf.numpy_function(note, [tf.convert_to_tensor(g) for g, _ in present], [])

    @property
    def count(self) -> int:
        """How many training steps there have been."""
        return len(self._recording.steps)

    def step_done(self) -> None:
        """Takes the variables as the step that has just ended left them."""
        self._variables_now = self._variables()

    def _variables(self) -> dict[str, np.ndarray]:
        named: dict[str, np.ndarray] = {}
        for store in self._stores:
            named.update({name: variable.numpy() for name, variable in Saver(store)._named().items()})
        return named

    def finish(self) -> Recording:
        """The recording, with the variables as the last step left them."""
        self._recording.final = self._variables()
        return self._recording


class _Recorded:
    """A tf.function that tells the recorder when a call of it has trained."""

    def __init__(self, function: Any, recorder: MigratedRecorder) -> None:
        self._function = function
        self._recorder = recorder

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        before = self._recorder.count
        result = self._function(*args, **kwargs)
        if tf.executing_eagerly() and self._recorder.count > before:
            self._recorder.step_done()
        return result

    def __getattr__(self, name: str) -> Any:
        return getattr(self._function, name)

"""Records a migrated program as it is: the runtime it imports and its `tf.function`s are watched."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from tf2towers.parity.recording import Arrays, Recorder
from tf2towers.runtime import averaging
from tf2towers.runtime.saver import Saver
from tf2towers.runtime.towers import tower_index
from tf2towers.runtime.variable_store import VariableStore, current_store


def watch(recorder: Recorder) -> None:
    """From now on every call of a `tf.function` that applies gradients is a recorded step."""
    gradients_of, apply, make_function = averaging.tower_gradients, averaging.apply_gradients, tf.function
    losses: dict[int, Any] = {}
    stores: list[VariableStore] = []

    def tower_gradients(loss: Any, *args: Any, **kwargs: Any) -> Any:
        losses[tower_index()] = loss
        return gradients_of(loss, *args, **kwargs)

    def apply_gradients(opt: Any, grads_and_vars: Any, *args: Any, **kwargs: Any) -> Any:
        pairs, tower, store = list(grads_and_vars), tower_index(), current_store()
        stores[:] = [store]
        given = [(store.name_of(variable), tf.convert_to_tensor(g)) for g, variable in pairs if g is not None]
        seen = []
        with tf.device("/cpu:0"):
            if tower in losses:
                loss = losses.pop(tower)
                seen.append(tf.numpy_function(lambda value: recorder.loss(tower, value), [loss], []))
            if tower == 0:  # the others hold the same mean
                keep = recorder.gradients([name for name, _ in given])
                seen.append(tf.numpy_function(keep, [gradient for _, gradient in given], []))
        with tf.control_dependencies(seen):
            return apply(opt, pairs, *args, **kwargs)

    def finish() -> None:
        if recorder.pending:
            recorder.finish(state_of(stores[0]))

    def function(func: Any = None, **options: Any) -> Any:
        if func is None:
            return lambda func: function(func, **options)
        return _Watched(make_function(func, **options), finish)

    averaging.tower_gradients, averaging.apply_gradients = tower_gradients, apply_gradients
    tf.function = function


def state_of(store: VariableStore) -> Arrays:
    """What a checkpoint would hold; where the replicas' copies differ, each of them under a name of its own."""
    state: Arrays = {}
    for name, variable in Saver(store)._named().items():
        first, *others = [copy.numpy() for copy in store.strategy.experimental_local_results(variable)]
        state[name] = first
        for tower, copy in enumerate(others, 1):
            if copy.tobytes() != first.tobytes():
                state[f"{name} (copy of tower {tower})"] = copy
    return state


class _Watched:
    """A `tf.function` that says when a call of it is over."""

    def __init__(self, function: Any, finish: Any) -> None:
        self._function = function
        self._finish = finish

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        result = self._function(*args, **kwargs)
        self._finish()
        return result

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return _Watched(self._function.__get__(instance, owner), self._finish)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._function, name)

"""Code on 1, 2 or 3 towers, and the same in a TF1 graph with a Session."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import tensorflow as tf
from tf2towers.runtime.variable_store import VariableStore

v1 = tf.compat.v1


@cache
def strategy_of(towers: int) -> Any:
    """TensorFlow lets one process have collectives for one number of devices only; this strategy uses none."""
    devices = [f"/cpu:{index}" for index in range(towers)]
    return tf.distribute.MirroredStrategy(devices, tf.distribute.ReductionToOneDevice())


def new_store(towers: int) -> VariableStore:
    return VariableStore(strategy_of(towers))


def step_of(store: VariableStore, tower: Callable[..., Any], update: bool = True) -> Callable[..., list[Any]]:
    """A function that runs `tower` on every tower of the store; it returns a list of NumPy results, one a tower."""

    @store.scope(update)
    def replica(*args: Any) -> Any:
        return tower(*args)

    @tf.function(autograph=False)
    def step(*args: Any) -> Any:
        return store.strategy.run(replica, args=args)

    def run(*args: Any) -> list[Any]:
        return per_tower(store, step(*args))

    return run


def per_tower(store: VariableStore, results: Any) -> list[Any]:
    """What `strategy.run` returned, as one NumPy result a tower."""

    def part(tower: int) -> Any:
        return tf.nest.map_structure(
            lambda leaf: store.strategy.experimental_local_results(leaf)[tower].numpy(), results
        )

    return [part(tower) for tower in range(store.strategy.num_replicas_in_sync)]


def copies(store: VariableStore, name: str) -> list[Any]:
    """The values of a variable on every tower."""
    return [copy.numpy() for copy in store.strategy.experimental_local_results(store[name])]


def in_session(build: Callable[[], Any], steps: int = 1, seed: int | None = None) -> list[Any]:
    """What `steps` runs of the fetches that `build` returns give, in a graph of their own."""
    with tf.Graph().as_default(), v1.variable_scope(v1.get_variable_scope(), use_resource=False):
        if seed is not None:
            v1.set_random_seed(seed)
        fetches = build()
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            session.run(v1.local_variables_initializer())
            return [session.run(fetches) for _ in range(steps)]


def equal(actual: Any, expected: Any) -> None:
    """Bit for bit."""
    actual, expected = np.asarray(actual), np.asarray(expected)
    assert actual.dtype == expected.dtype
    np.testing.assert_array_equal(actual, expected)

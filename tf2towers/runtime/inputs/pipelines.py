"""Input pipelines that a TF1 iterator's initializer began, with what it was fed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf


def restartable(build: Callable[..., Any], *signature: tf.TensorSpec) -> Any:
    """Builds a pipeline once, as a graph; it begins anew whenever it is called, as by `sess.run(iterator.initializer)`.

    Args:
        build: what makes the pipeline, given a tensor for each `tf.TensorSpec`. It runs once, now.
        signature: what was a placeholder each.

    Returns:
        What `build` returns, and in a dataset's place a function of the values that gives the dataset. Its shuffles
        have the same order whenever they are given the same seeds.
    """
    made: list[Any] = []

    @tf.function(autograph=False, input_signature=list(signature))  # type: ignore[untyped-decorator]
    def pipelines(*values: Any) -> list[Any]:
        made.append(build(*values))
        return [part for part in tf.nest.flatten(made[-1]) if isinstance(part, tf.data.Dataset)]

    pipelines.get_concrete_function()

    def begun_by(place: int) -> Callable[..., tf.data.Dataset]:
        return lambda *values: pipelines(*values)[place]

    datasets = [part for part in tf.nest.flatten(made[0]) if isinstance(part, tf.data.Dataset)]
    places = {id(dataset): place for place, dataset in enumerate(datasets)}
    return tf.nest.map_structure(
        lambda part: begun_by(places[id(part)]) if id(part) in places else part, made[0]
    )

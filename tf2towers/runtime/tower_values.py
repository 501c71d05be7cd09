"""Inside the replica function: which tower this is, and what the towers give one another."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from tf2towers.runtime import collections as graph_collections
from tf2towers.runtime.printing import print_as_numpy1

_v1 = tf.compat.v1


def tower_index() -> int:
    """This replica's place among the towers, as the `i` of `for i in range(num_gpus)`: a Python int, 0-based."""
    context = tf.distribute.get_replica_context()
    if context is None:
        raise RuntimeError("tower_index() belongs in the function given to strategy.run")
    index = tf.get_static_value(context.replica_id_in_sync_group)
    if index is None:
        raise RuntimeError("this strategy does not trace each replica by itself: no Python tower index")
    return int(index)


def tower_name(name: str) -> str:
    """The TF1 name of a tensor of this tower: without the 'replica_1/' that the strategy puts in front."""
    return re.sub(r"^replica_\d+/", "", name)


def batch_of_each_tower(strategy: tf.distribute.Strategy, iterator: Any) -> Any:
    """The next batch of an iterator for every tower, as each took one by `iterator.get_next()` of its own.

    Args:
        strategy: the towers.
        iterator: of a `tf.data.Dataset`; the first tower takes its batch first. TF1 left the order open.

    Returns:
        A batch's structure of per-replica values, for `strategy.run`.

    Raises:
        tf.errors.OutOfRangeError: where there is no batch for some tower.
    """
    return strategy.experimental_distribute_values_from_function(lambda _: iterator.get_next())


def meet(merge: Callable[..., Any], *values: Any) -> Any:
    """Calls `merge(strategy, *per_replica_values)` once for all towers; every tower gets the result.

    The towers' graph collections stay apart while one waits for the others.
    """
    context = tf.distribute.get_replica_context()
    if context is None:
        raise RuntimeError("towers meet only inside the function given to strategy.run")
    with graph_collections.set_aside():
        return context.merge_call(merge, args=values)


def gather_towers(value: Any) -> list[Any]:
    """`value` of every tower, in tower order: the list the loop built with `append`.

    Args:
        value: a tensor, `tf.IndexedSlices`, None, a variable, or any nest of these; the same structure in every tower.

    Returns:
        A list with one element a tower.
    """
    leaves = tf.nest.flatten(value)
    places_of_tensors = [
        place for place, leaf in enumerate(leaves) if tf.is_tensor(leaf) or isinstance(leaf, tf.IndexedSlices)
    ]
    if not places_of_tensors:
        return [value] * tf.distribute.get_strategy().num_replicas_in_sync

    tensors_here = [leaves[place] for place in places_of_tensors]
    gathered = _over_workers(tensors_here) if has_other_workers() else meet(_local_values, *tensors_here)
    towers = []
    for tensors in gathered:
        filled = list(leaves)
        for place, tensor in zip(places_of_tensors, tensors, strict=True):
            filled[place] = tensor
        towers.append(tf.nest.pack_sequence_as(value, filled))
    return towers


def _local_values(strategy: Any, *per_replica: Any) -> Any:
    local = [strategy.experimental_local_results(leaf) for leaf in per_replica]
    return tuple(zip(*local, strict=True))


def has_other_workers() -> bool:
    """Whether some replicas are in other processes, as those of MultiWorkerMirroredStrategy."""
    strategy = tf.distribute.get_strategy()
    return len(strategy.extended.worker_devices) < strategy.num_replicas_in_sync


def _over_workers(tensors: list[Any]) -> list[tuple[Any, ...]]:
    """What `_local_values` gives, by an all-gather; a `tf.IndexedSlices` becomes dense."""
    context = tf.distribute.get_replica_context()
    stacked = [
        context.all_gather(tf.expand_dims(tf.convert_to_tensor(tensor), 0), axis=0) for tensor in tensors
    ]
    towers = range(context.num_replicas_in_sync)
    return [tuple(values[tower] for values in stacked) for tower in towers]


def last_tower(results: Any) -> Any:
    """The last tower's part of what `strategy.run` returned: the value a name had after the TF1 loop."""
    return _of_tower(results, -1)


def first_tower(results: Any) -> Any:
    """The first tower's part of what `strategy.run` returned; summaries are written by the first tower only."""
    return _of_tower(results, 0)


def _of_tower(results: Any, tower: int) -> Any:
    def pick(value: Any) -> Any:
        return value.values[tower] if isinstance(value, tf.distribute.DistributedValues) else value

    return tf.nest.map_structure(pick, results)


def to_numpy(results: Any) -> Any:
    """`results` as NumPy values, as `sess.run` returned them; None stays None (a fetched op).

    Lists of them print as in TF1's days: `[1.5, 2.0]`.
    """
    print_as_numpy1()

    def convert(value: Any) -> Any:
        if isinstance(value, tf.SparseTensor):
            return _v1.SparseTensorValue(
                *(part.numpy() for part in (value.indices, value.values, value.dense_shape))
            )
        return value.numpy() if hasattr(value, "numpy") else value

    return tf.nest.map_structure(convert, results)

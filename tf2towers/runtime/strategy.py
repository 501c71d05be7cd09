"""`TowerStrategy`: the towers of a TF 1 graph as the replicas of a MirroredStrategy.

In a graph, the strategy only helps to build: the scope sets the device of the variables, `run`
builds one tower after the other, `reduce` builds the average. The session then runs the graph on
the strategy's devices, with a copy of each shared variable on every device and an all-reduce for
the average. TensorFlow's own scope is not entered around TF 1 graph code: a v1 optimizer refuses
it, and would divide the loss by the number of replicas.

Outside a TF 1 graph (eagerly, in a `tf.function`) it behaves as MirroredStrategy.
"""

from __future__ import annotations

import contextlib
import operator
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from typing import Any, TypeVar

import tensorflow as tf

from tf2towers.runtime.devices import tower_devices
from tf2towers.runtime.graph_session.towers import declare

T = TypeVar("T")

_NOT_GIVEN: Any = object()


class PerReplica(tf.distribute.DistributedValues):
    """A value of each tower.

    Attributes:
        values: the values, in the order of the towers.
    """

    def __init__(self, values: Iterable[Any]) -> None:
        self.iterable = values

    @property
    def values(self) -> Sequence[Any]:
        """All values; what is iterated once is gone through now."""
        if not isinstance(self.iterable, Sequence):
            self.iterable = tuple(self.iterable)
        return self.iterable


class TowerStrategy(tf.distribute.MirroredStrategy):
    """A `tf.distribute.MirroredStrategy` whose replicas are the towers of a TF 1 graph.

    Args:
        towers: their number; or the devices that the towers' loop passes to `tf.device`, e.g.
            ['/gpu:0', '/gpu:1']; or the indices of the GPUs. Without it, the towers are the GPUs
            that the graph names.
        parameter_device: the device of ops that are built in the scope, but on no tower, e.g.
            '/cpu:0': variables, the input pipeline, the average. Without it, the scope sets no
            device.

    Raises:
        RuntimeError: TensorFlow has started already, with too few logical CPU devices.
    """

    def __init__(
        self, towers: int | Sequence[str | int] | None = None, *, parameter_device: Any = None
    ) -> None:
        self._parameter_device = parameter_device
        self._towers: list[str | int] | None = None
        if towers is not None:
            with contextlib.suppress(TypeError):  # a number of any kind, as `range` takes it
                towers = range(operator.index(towers))  # type: ignore[arg-type]
            self._towers = list(towers)  # type: ignore[arg-type]
            super().__init__(tower_devices([*dict.fromkeys(self._towers)]))  # towers may share a GPU
        self._replica_ids = PerReplica(range(sys.maxsize if self._towers is None else len(self._towers)))

    def __getattr__(self, name: str) -> Any:
        """Starts the devices at first use if no towers were given: GPUs may be chosen before."""
        if name.startswith("__") or "_extended" in vars(self):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        super().__init__()
        return getattr(self, name)

    @contextlib.contextmanager
    def scope(self) -> Iterator[TowerStrategy]:
        """The context for towers and shared variables: in a graph `tf.device(parameter_device)`."""
        if not _in_graph():
            with super().scope():
                yield self
            return
        self._declare()
        if self._parameter_device is None:
            yield self
            return
        with tf.compat.v1.device(self._parameter_device):
            yield self

    def run(
        self,
        fn: Callable[..., Any],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
        options: Any = None,
    ) -> Any:
        """Calls `fn` for each tower: in a graph one after the other, in this thread.

        Args:
            fn: builds a tower.
            args: its positional arguments; of a per-replica value, each tower gets its own item,
                which is taken when the tower is built, as a loop does. The shortest per-replica
                value sets the number of towers; without any, the strategy sets it.
            kwargs: its keyword arguments.
            options: TensorFlow's RunOptions; ignored in a graph.

        Returns:
            In a graph a `PerReplica` of what the calls returned; where all return tuples of one
            length, a tuple of such: `loss, gradients = strategy.run(tower, args=...)`.
        """
        if not _in_graph():
            return super().run(fn, args, kwargs, options)
        given = (args, dict(kwargs or {}))
        results = []
        for items in self.towers(self._rounds(tf.nest.flatten(given))):
            own_args, own_kwargs = tf.nest.map_structure(
                lambda value, items=items: items.get(id(value), value), given
            )
            results.append(fn(*own_args, **own_kwargs))
        return _regroup(results)

    def experimental_local_results(self, value: Any) -> tuple[Any, ...]:
        """What each tower has of a value that `run` returned, or of a tuple of such, in order."""
        if not _in_graph():
            return super().experimental_local_results(value)
        counts = [len(each.values) for each in _leaves(value) if _is_per_replica(each)]
        return tuple(_of_tower(value, tower) for tower in range(min(counts))) if counts else (value,)

    def _rounds(self, given: Sequence[Any]) -> Iterator[dict[int, Any]]:
        """For each tower, its items of the per-replica values among some values, by their ids."""
        ids, own = self.replica_ids, len(self.replica_ids.values)
        per_replica = {id(value): value for value in given if _is_per_replica(value) and value is not ids}
        others = {
            key: value.iterable if isinstance(value, PerReplica) else value.values
            for key, value in per_replica.items()
        }
        if not others:
            for tower in range(own if own < sys.maxsize else self.num_replicas_in_sync):
                yield {id(ids): tower}
            return
        numbers = [own] if any(value is ids for value in given) else []
        counts = [len(items) for items in others.values() if isinstance(items, Sized)]
        if numbers and len(counts) == len(others) and own < min(counts):
            raise ValueError(f"the strategy has {own} towers, but a per-replica value has {min(counts)}")
        for tower, items in enumerate(zip(*others.values(), strict=False)):
            if numbers and tower >= own:
                raise ValueError(f"the strategy has {own} towers, but a per-replica value has more")
            yield {id(ids): tower, **dict(zip(others, items, strict=True))}

    def towers(self, iterable: Iterable[T]) -> Iterator[T]:
        """Iterates over `iterable` for a loop that builds one tower in each round."""
        for value in iterable:  # a loop without rounds declares no strategy
            self._declare()
            yield value

    @property
    def towers_given(self) -> list[str | int] | None:
        """The towers that it was made with, as a list; None if it was made without."""
        return self._towers

    @property
    def num_replicas_in_sync(self) -> int:
        """The number of towers; in a graph also where they share a device."""
        if _in_graph() and self._towers is not None:
            return len(self._towers)
        return super().num_replicas_in_sync

    @property
    def replica_ids(self) -> Any:
        """The numbers of the towers, 0 to n - 1, as a per-replica value."""
        if not _in_graph():
            return self.per_replica(range(self.num_replicas_in_sync))
        return self._replica_ids

    def per_replica(self, iterable: Iterable[Any]) -> Any:
        """A per-replica value: the first item for the first tower, and so on."""
        if _in_graph():
            return PerReplica(iterable)
        items = tuple(iterable)
        return self.experimental_distribute_values_from_function(
            lambda context: items[context.replica_id_in_sync_group]
        )

    def reduce(self, reduce_op: Any, value: Any, axis: int | None = None) -> Any:
        """Reduces the towers' gradients to their mean, one all-reduce on the strategy.

        In a graph it builds the same ops, under the same names, as the well-known function
        `average_gradients`; the session turns them into an all-reduce when it runs them. The mean
        is of those gradients of a variable that are not None. A `tf.IndexedSlices` becomes dense,
        as in TF 1.

        Args:
            reduce_op: 'MEAN', or `tf.distribute.ReduceOp.MEAN`.
            value: the towers' lists of (gradient, variable), as `compute_gradients` returns them:
                what `run` returned, or a list of them; outside a graph, anything that
                MirroredStrategy accepts.
            axis: as in `tf.distribute.Strategy.reduce`; None in a graph.

        Returns:
            A list of (mean gradient, variable), the variable as the first tower names it.

        Raises:
            ValueError: a variable's gradients are all None; in a graph, any other reduction than
                the mean, or an axis.
        """
        if not _in_graph():
            return super().reduce(reduce_op, value, axis)
        operation = getattr(reduce_op, "value", reduce_op)
        if str(operation).upper() != tf.distribute.ReduceOp.MEAN.value or axis is not None:
            raise ValueError(
                f"reduce({reduce_op!r}, axis={axis}): a graph's towers are reduced to their MEAN."
            )
        if any(map(_is_per_replica, _leaves(value))):
            value = self.experimental_local_results(value)
        averaged = []
        for pairs in zip(*value, strict=False):
            expanded = [tf.expand_dims(gradient, 0) for gradient, _ in pairs if gradient is not None]
            if not expanded:
                raise ValueError(f"the gradients of {pairs[0][1]!r} are None on all towers")
            mean = tf.reduce_mean(tf.concat(axis=0, values=expanded), 0)
            averaged.append((mean, pairs[0][1]))
        return averaged

    def _declare(self) -> None:
        """Declares this strategy for the towers of the graph that is built, if they were given."""
        if self._towers:
            declare(tf.compat.v1.get_default_graph(), self)


class ParameterServerStrategy(tf.compat.v1.distribute.experimental.ParameterServerStrategy):
    """Between-graph replication: variables on the parameter servers, the rest on this worker.

    Its scope places each op on the device that `tf.train.replica_device_setter` chooses. The
    session of a `Server` connects to the parameter servers, and runs the graph on
    `Server.strategy`, a `tf.distribute.ParameterServerStrategy`.

    Args:
        ps_tasks, ps_device, worker_device, merge_devices, cluster, ps_ops, ps_strategy: the
            arguments of `tf.train.replica_device_setter`. Variables are placed on the servers in
            turn, across all scopes of one strategy. Without `ps_tasks` and `cluster`, the script
            names its devices itself: the scope sets none.
        device: in their place the device, or the function of devices, that the script has chosen:
            the scope's device.
        towers: the towers of this worker, as `TowerStrategy` takes them. In a graph, `run`,
            `reduce` and the other methods for towers do what those of `TowerStrategy` do.
    """

    def __init__(
        self,
        ps_tasks: int | None = None,
        ps_device: str = "/job:ps",
        worker_device: Any = "/job:worker",
        merge_devices: bool = True,
        cluster: Any = None,
        ps_ops: Sequence[str] | None = None,
        ps_strategy: Callable[[Any], int] | None = None,
        *,
        device: Any = _NOT_GIVEN,
        towers: int | Sequence[str | int] | None = None,
    ) -> None:
        self._of_towers = TowerStrategy(towers)
        self._places = ps_tasks is not None or cluster is not None or device is not _NOT_GIVEN
        self._device = device
        if device is _NOT_GIVEN:
            self._device = tf.compat.v1.train.replica_device_setter(
                ps_tasks or 0, ps_device, worker_device, merge_devices, cluster, ps_ops, ps_strategy
            )

    def __getattr__(self, name: str) -> Any:
        """Starts this process's devices at first use; the session has its own connection."""
        if name.startswith("__") or "_extended" in vars(self):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        super().__init__()
        return getattr(self, name)

    @contextlib.contextmanager
    def scope(self) -> Iterator[ParameterServerStrategy]:
        """The context of a worker's graph: `tf.device(tf.train.replica_device_setter(...))`."""
        with tf.compat.v1.device(self._device) if self._places else contextlib.nullcontext():
            if _in_graph():
                self._of_towers._declare()
            yield self

    def run(
        self,
        fn: Callable[..., Any],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
        options: Any = None,
    ) -> Any:
        """Calls `fn` for each tower of this worker, as `TowerStrategy.run`."""
        return self._by_towers().run(fn, args, kwargs, options)

    def experimental_local_results(self, value: Any) -> tuple[Any, ...]:
        """What each tower has of a value that `run` returned."""
        return self._by_towers().experimental_local_results(value)

    def towers(self, iterable: Iterable[T]) -> Iterator[T]:
        """Iterates over `iterable` for a loop that builds one tower in each round."""
        return self._of_towers.towers(iterable)

    @property
    def num_replicas_in_sync(self) -> int:
        """The number of this worker's towers in a graph, if given; else TensorFlow's own."""
        asked: Any = self._by_towers() if self._of_towers.towers_given else super()
        return asked.num_replicas_in_sync

    @property
    def replica_ids(self) -> Any:
        """The numbers of this worker's towers, 0 to n - 1, as a per-replica value."""
        return self._of_towers.replica_ids

    def per_replica(self, iterable: Iterable[Any]) -> Any:
        """A per-replica value: the first item for the first tower, and so on."""
        return self._of_towers.per_replica(iterable)

    def reduce(self, reduce_op: Any, value: Any, axis: int | None = None) -> Any:
        """Reduces the gradients of this worker's towers to their mean, as `TowerStrategy`."""
        return self._by_towers().reduce(reduce_op, value, axis)

    def _by_towers(self) -> Any:
        """What `run` and the like ask: the towers in a graph, else TensorFlow's own strategy."""
        return self._of_towers if _in_graph() else super()


def _in_graph() -> bool:
    """True if a TF 1 graph is being built, or a function inside one."""
    return not tf.compat.v1.executing_eagerly_outside_functions()


def _is_per_replica(value: Any) -> bool:
    return isinstance(value, tf.distribute.DistributedValues)


def _regroup(results: Sequence[Any]) -> Any:
    """The towers' results as one per-replica value; tuples of one length as a tuple of such."""
    lengths = {len(result) if type(result) is tuple else 0 for result in results}
    if len(lengths) != 1 or 0 in lengths:
        return PerReplica(results)
    return tuple(_regroup(values) for values in zip(*results, strict=True))


def _of_tower(value: Any, tower: int) -> Any:
    """One tower's part of what `_regroup` gives."""
    if type(value) is tuple:
        return tuple(_of_tower(each, tower) for each in value)
    return value.values[tower] if _is_per_replica(value) else value


def _leaves(value: Any) -> Iterator[Any]:
    """What is in a tuple, and in tuples in it; a value that is no tuple itself."""
    if type(value) is tuple:
        for each in value:
            yield from _leaves(each)
    else:
        yield value

"""What `RunConfig(train_distribute=...)` makes of a strategy of the runtime."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from tf2towers.runtime.cluster.addresses import ClusterError
from tf2towers.runtime.devices import tower_devices
from tf2towers.runtime.patches.estimators import values_of_towers
from tf2towers.runtime.strategy import ParameterServerStrategy, TowerStrategy


class EstimatorTowers(tf.compat.v1.distribute.MirroredStrategy):
    """TensorFlow 1's MirroredStrategy: it builds a `model_fn` once for each tower, in lockstep.

    The towers' variables are copies on their devices. The optimizer divides each tower's loss by
    their number, and adds up their gradients. Each tower gets the next batch of the data set.
    """

    def __init__(self, towers: Any) -> None:
        on_cpu = len(towers) < 2 and "CPU" in str([*towers, "CPU"][0]).upper()
        devices = ["/cpu:0"] if on_cpu else tower_devices(towers)
        super().__init__(devices, cross_device_ops=tf.distribute.ReductionToOneDevice())

    def make_input_fn_iterator(self, input_fn: Any, replication_mode: Any = None) -> Any:
        """A data set's batches in order: TensorFlow's own iterator cannot run in our session.

        Raises:
            ValueError: the function makes no data set; TensorFlow 1.15 refused that as well.
        """
        context = tf.distribute.InputContext(1, 0, self.num_replicas_in_sync)
        dataset = input_fn(context)
        if not isinstance(dataset, tf.data.Dataset | tf.compat.v1.data.Dataset):
            raise ValueError("with towers, `input_fn` has to return a tf.data.Dataset")
        return _Batches(tf.compat.v1.data.make_initializable_iterator(dataset), self)


class _Batches:
    """An iterator with a batch for each tower; it ends with the last batch for all."""

    def __init__(self, iterator: Any, strategy: EstimatorTowers) -> None:
        self._iterator, self._strategy = iterator, strategy

    def initialize(self) -> Any:
        """The operation that begins with the first batch."""
        return self._iterator.initializer

    def get_next(self) -> Any:
        """The next batches, as per-replica values."""
        batches: list[Any] = []
        for _ in range(self._strategy.num_replicas_in_sync):
            before = [tensor.op for tensor in tf.nest.flatten(batches, expand_composites=True)[-1:]]
            with tf.device("/cpu:0"), tf.control_dependencies(before):
                batches.append(self._iterator.get_next())
        return values_of_towers(batches)


def strategy_for(strategy: Any, cluster: Any) -> Any:
    """The strategy in the place of a RunConfig's one; None for parameter servers.

    Their variables are placed, and their workers train, as without a strategy.

    Raises:
        ClusterError: towers in several processes.
    """
    if isinstance(strategy, ParameterServerStrategy):
        return None
    if not isinstance(strategy, TowerStrategy):
        return strategy
    if cluster:
        raise ClusterError("the towers of a RunConfig's strategy are in one process; TF_CONFIG has a cluster")
    towers = strategy.towers_given
    return EstimatorTowers(range(len(tf.config.list_physical_devices("GPU"))) if towers is None else towers)

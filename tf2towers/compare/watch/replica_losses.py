"""TF2: reads the loss that each replica differentiated, out of the traced function.

A loss in a traced function is a symbolic tensor. So one variable for each replica is assigned its
value at each step: an assignment runs on every device and under XLA, where a Python callback would
not. With shared parameter servers, one variable on the first server sums and counts the losses of
all workers. It is read at intervals, because each reading is a call to another process.
"""

import time
from typing import Any, Callable, List, Optional

_SERVER = "/job:ps/replica:0/task:0/device:CPU:0"
_READ_EVERY = 0.1  # seconds


class ReplicaLosses:
    """The losses of the step that runs or has just ended.

    Attributes:
        shares: whether each replica's loss is a share of the whole loss, their sum. Keras and
            `tf.distribute` sum gradients over the replicas, so there a loss has to be a share
            (TensorFlow's guide to custom training).
    """

    def __init__(self, tf: Any) -> None:
        self._tf = tf
        self._variables = {}  # type: dict[int, Any]
        self.shares = False
        self._on_server = None  # type: Any
        self._added = (0.0, 0.0)  # the sum and the number of losses at the last reading
        self._read_at = float("-inf")

    def note(self, loss: Any, shares: bool) -> None:
        """Makes the traced function store a loss that it differentiates, by either way."""
        tf = self._tf
        if isinstance(loss, (list, tuple)) and len(loss) == 1:
            loss = loss[0]
        if not tf.is_tensor(loss) or loss.shape.rank != 0 or not loss.dtype.is_floating:
            return
        graph = tf.compat.v1.get_default_graph()
        if tf.executing_eagerly() or not hasattr(graph, "outer_graph") or loss.graph is not graph:
            return
        self.shares = shares
        of_servers = getattr(tf.distribute.experimental, "ParameterServerStrategy", ())
        if isinstance(tf.distribute.get_strategy(), of_servers):
            if self._on_server is None:
                with tf.init_scope(), tf.device(_SERVER):
                    self._on_server = self._new_variable([0.0, 0.0], tf.float64)
            loss = tf.cast(loss, tf.float64)
            self._on_server.assign_add(tf.stack([loss, tf.ones_like(loss)]), read_value=False)
            return
        replica = self._replica()
        if replica not in self._variables:
            self._variables[replica] = self._new_variable(float("nan"), tf.float32)
        self._variables[replica].assign(tf.cast(loss, tf.float32), read_value=False)

    def _new_variable(self, value: Any, dtype: Any) -> Any:
        # not tf.Variable, which a strategy or a variable store would take for a variable of the
        # script
        from tensorflow.python.ops.resource_variable_ops import ResourceVariable

        with self._tf.init_scope():
            return ResourceVariable(value, trainable=False, dtype=dtype, name="watched_loss")

    def _replica(self) -> int:
        context = self._tf.distribute.get_replica_context()
        number = getattr(context, "replica_id_in_sync_group", 0)
        known = self._tf.get_static_value(number) if self._tf.is_tensor(number) else number
        return int(known or 0)

    @property
    def count(self) -> int:
        """The number of replicas that have a loss."""
        return len(self._variables)

    def loss_reader(self, result: Any) -> Callable[[], Optional[float]]:
        """Returns a function that reads the loss of the step that has just ended.

        Args:
            result: the only scalar that the step returned, or None. Where it is the sum or the mean
                of the losses, it is the step's loss; so it is where no loss was seen.
        """
        if self._on_server is not None:
            return self._read_at_intervals
        values = [variable.read_value() for variable in self._variables.values()]
        return lambda: combine_losses(
            [float(value) for value in values], None if result is None else float(result), self.shares
        )

    def _read_at_intervals(self) -> Optional[float]:
        """The mean of the losses added since the last reading; None right after a reading."""
        if time.monotonic() < self._read_at + _READ_EVERY:
            return None
        self._read_at = time.monotonic()
        added_before, (total, count) = self._added, map(float, self._on_server.read_value().numpy())
        self._added = total, count
        return (total - added_before[0]) / (count - added_before[1]) if count > added_before[1] else None


def combine_losses(losses: List[float], result: Optional[float], shares: bool) -> Optional[float]:
    """The loss of a step: `result` if it is the replicas' sum or mean, or none is known."""
    if not losses:
        return result
    total, mean = sum(losses), sum(losses) / len(losses)
    if result is not None and any(
        abs(whole - result) <= 1e-4 * max(abs(whole), 1e-8) for whole in (total, mean)
    ):
        return result
    return total if shares else mean

"""`Connection`: this process's connection to the parameter servers, which all sessions use."""

from __future__ import annotations

import atexit
import contextlib
import os

import tensorflow as tf

from tf2towers.runtime.cluster import waiting
from tf2towers.runtime.cluster.addresses import ClusterError
from tf2towers.runtime.graph_session.carried import carried
from tf2towers.runtime.graph_session.cluster import serving
from tf2towers.runtime.graph_session.cluster.task import Task, making
from tf2towers.runtime.patches.functions import eager_mode
from tf2towers.runtime.patches.servers import strategy_of_servers


class Connection:
    """The connection to the parameter servers: one for all servers and sessions of this process."""

    current: Connection | None = None

    def __init__(self, task: Task) -> None:
        self.servers = list(task.servers.values())
        self._names = [f"{job} {index}" for job, index in task.servers]
        os.environ.setdefault("GRPC_FAIL_FAST", "use_caller")  # otherwise gRPC waits for a dead task
        waiting.wait_for({f"{job} {index}": address for (job, index), address in task.servers.items()})
        host = task.address.rpartition(":")[0]
        # the strategy's cluster must have a worker; no op is placed on it
        self._worker_address = f"{host}:{waiting.free_port()}"
        alone = tf.train.ClusterSpec({"worker": [self._worker_address]})
        self._worker = tf.distribute.Server(alone, "worker", 0, protocol="grpc", start=True)
        spec = {
            "ps": self.servers,
            "worker": [self._worker_address],
            "chief": [f"{host}:{waiting.free_port()}"],
        }
        resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(
            tf.train.ClusterSpec(spec), task_type="chief", task_id=0, rpc_layer="grpc"
        )
        with eager_mode():
            with carried():
                self.strategy = strategy_of_servers(resolver)
            if task.serves:  # `Serving` needs to know of a task that both serves and uses other servers
                for index, server in enumerate(self.servers):
                    with tf.device(server_device(index)):
                        tf.io.write_file(serving.present(server, task.address), task.address)
        atexit.register(self._leave, task)

    @classmethod
    def of(cls, task: Task) -> Connection:
        """The connection, made at its first use."""
        with making:
            if cls.current is None:
                cls.current = cls(task)
            elif cls.current.servers != list(task.servers.values()):
                raise ClusterError(
                    f"{task.name}: this process is connected to the parameter servers {cls.current.servers} already, "
                    f"and cannot connect to {list(task.servers.values())} as well. Use one process for each cluster."
                )
            return cls.current

    def lost(self) -> list[str]:
        """The parameter servers that do not answer, as 'ps 0 (host:port)'."""
        return [
            f"{name} ({server})"
            for name, server in zip(self._names, self.servers, strict=True)
            if not waiting.answers(server)
        ]

    def _leave(self, task: Task) -> None:
        """Notifies the parameter servers, at the end of this process, that its training is over."""
        lost = bool(self.lost())
        if not lost and serving.ended_well():
            with eager_mode(), contextlib.suppress(tf.errors.OpError):
                for (job, index), address in task.servers.items():
                    with tf.device(server_device(list(task.servers).index((job, index)))):
                        tf.io.write_file(serving.marker(address, task.address), task.name)
        if lost:
            serving.leave_at_once()


def server_device(index: int) -> str:
    """The device name of a parameter server, by its number."""
    return f"/job:ps/replica:0/task:{index}/device:CPU:0"

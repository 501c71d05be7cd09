"""`Server`, for `tf.compat.v1.train.Server`, and the process that a session's target means."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from tf2towers.runtime.cluster import addresses, waiting
from tf2towers.runtime.cluster.addresses import ClusterError
from tf2towers.runtime.graph_session.cluster import serving
from tf2towers.runtime.graph_session.cluster.connection import Connection
from tf2towers.runtime.graph_session.cluster.member import Member
from tf2towers.runtime.graph_session.cluster.task import Task, tasks_here
from tf2towers.runtime.graph_session.session_process import Process
from tf2towers.runtime.patches import servers

#: the tasks that this process has made servers for, by their targets
_tasks: dict[bytes, Task] = {}


def process_of(target: bytes) -> Process:
    """The process for the sessions of a target: '' is this one, others are its own servers'."""
    if target in (b"", b"local"):
        return Process()
    task = _tasks.get(target)
    if task is not None:
        return Member(task)
    # the target of another task: the graph's devices do not depend on the process that makes the
    # session
    for task in _tasks.values():
        if target in [f"grpc://{address}".encode() for address in task.everyone.values()]:
            return Member(task)
    known = ", ".join(repr(own.decode()) for own in _tasks) or "none"
    raise ClusterError(
        f"Session(target={target.decode()!r}): a session runs in its own process, and this is not the target of a "
        f"server that this process has made. Make a Server first, and pass its `target`; known targets: {known}."
    )


class Server:
    """`tf.compat.v1.train.Server`: makes this process a task of the cluster.

    A task that keeps variables ('ps') serves from then on; a worker connects with the first run of
    a session.

    Args:
        server_or_cluster_def: a `tf.train.ClusterSpec`, a dict of jobs, or a ServerDef.
        job_name: the job of this process; by default the cluster's only job.
        task_index: the index in the job; by default that of the job's only task.
        protocol: 'grpc'.
        config: ignored.
        start: whether to start serving at once; if not, call `start`.

    Raises:
        ClusterError: the addresses, the job or the index are wrong, or this task's port is taken.
    """

    def __init__(
        self,
        server_or_cluster_def: Any,
        job_name: str | None = None,
        task_index: int | None = None,
        protocol: str | None = None,
        config: Any = None,
        start: bool = True,
    ) -> None:
        self._server_def, job, index = _server_def(
            server_or_cluster_def, job_name, task_index, protocol, config
        )
        self._task = Task(self._server_def.cluster, job, index)
        self._started = False
        self._target = f"grpc://{self._task.address}"
        _tasks[self._target.encode()] = tasks_here[self._task.address] = self._task
        if start:
            self.start()

    def start(self) -> None:
        """Starts serving."""
        if not self._started:
            self._started = True
            task = self._task
            workers = task.workers if task.serves else {}
            task.serving = serving.Serving(task.spec, task.job, task.index, task.serves, workers)

    def join(self) -> None:
        """Serves until the training has ended, then ends the process with status 0.

        Raises:
            SystemExit: the training has ended; at once for a worker that runs its own operations
                only.
        """
        self.start()
        self._task.only_serve()
        if self._task.serves:
            assert self._task.serving is not None
            self._task.serving.until_the_end()
        raise SystemExit(0)

    @property
    def server_def(self) -> Any:
        """The ServerDef."""
        return self._server_def

    @property
    def target(self) -> str:
        """The target for the sessions of this process."""
        return self._target

    @property
    def strategy(self) -> tf.distribute.Strategy:
        """The strategy that the sessions of this process run on; made at its first use."""
        if not self._task.servers:
            return tf.distribute.get_strategy()
        with tf.init_scope():
            return Connection.of(self._task).strategy

    @staticmethod
    def create_local_server(config: Any = None, start: bool = True) -> Server:
        """Makes a server whose cluster is this process only."""
        return Server(
            {"localhost": [f"localhost:{waiting.free_port()}"]}, protocol="grpc", config=config, start=start
        )


def _server_def(
    given: Any, job: str | None, index: Any, protocol: str | None, config: Any
) -> tuple[Any, str, int]:
    """The ServerDef that `tf.train.Server` makes of its arguments; this task's job and index."""
    made = servers.server_def(given, job, None if index is None else int(index), protocol, config)
    tasks = {job.name: job.tasks for job in made.cluster.job}
    here = tasks.get(made.job_name, {})
    if here.get(made.task_index, "").endswith(":0"):  # any free port
        here[made.task_index] = f"{here[made.task_index][:-1]}{waiting.free_port()}"
    if made.task_index not in here:
        addresses.check_addresses(tf.train.ClusterSpec(made.cluster), made.job_name, made.task_index)
        raise ClusterError(f"the cluster has no task {made.task_index} of job {made.job_name!r}.")
    return made, str(made.job_name), int(made.task_index)

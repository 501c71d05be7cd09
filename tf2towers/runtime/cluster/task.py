"""This process's place in the cluster: `tf.train.Server`, and what TF1's `server.target` was used for."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

from tf2towers.runtime.cluster import ending, lost_requests, waiting
from tf2towers.runtime.cluster.addresses import ClusterError, check_port, read_addresses, split
from tf2towers.runtime.cluster.steps import Step, step
from tf2towers.runtime.cluster.threads import Workers


class ClusterTask:
    """One task of a parameter-server program, started as in TF1 (`--job_name=ps|worker --task_index=N`).

    Args:
        cluster: a `tf.train.ClusterSpec` or a dict of jobs: 'ps', 'worker', and 'chief' or 'master' as worker 0.
        job_name: the job of this process.
        task_index: its place in the job, from 0.
        synchronous: whether the workers wait for one another in every update (SyncReplicasOptimizer).
        options: `protocol`, `config`, `start` of `tf.train.Server`; they have no effect.

    Asynchronous: worker 0's process runs the loops of all workers, and their worker computes each step; the others
    serve. Synchronous: each worker runs its own loop; a parameter server has nothing to do.

    Raises:
        ClusterError: the addresses, the job or the index are wrong, or this task's port is taken.
    """

    def __init__(
        self,
        cluster: Any,
        job_name: Any = None,
        task_index: Any = None,
        synchronous: bool = False,
        **_options: Any,
    ) -> None:
        self._addresses = read_addresses(cluster, job_name, 0 if task_index is None else task_index)
        self.synchronous = bool(synchronous)
        if not self.synchronous and not self._addresses.ps:
            raise ClusterError(
                f"job_name={job_name!r}, task_index={task_index!r}: the cluster has no parameter server (job 'ps'), "
                "which asynchronous training keeps its variables in."
            )
        if not (self.synchronous and self._addresses.job == "ps"):
            own = self._addresses
            check_port(f"job_name={own.job!r}, task_index={own.index}", own.own)
        os.environ.setdefault("GRPC_FAIL_FAST", "use_caller")  # or a task that has died is waited for
        self._starting = contextlib.ExitStack()
        self._coordinator: Any = None
        self._coordinator_address = ""
        self._server: Any = None
        self._workers = Workers(1 if self.synchronous else len(self._addresses.workers))

    @property
    def job_name(self) -> str:
        """'ps' or 'worker'."""
        return self._addresses.job

    @property
    def task_index(self) -> int:
        """The place among the parameter servers or the workers (a chief is worker 0)."""
        return self._addresses.index

    @property
    def target(self) -> str:
        """The address of this task's server, as `tf.train.Server` gave it."""
        return f"grpc://localhost:{self._addresses.own.rpartition(':')[2]}"

    @property
    def num_workers(self) -> int:
        """How many workers the cluster has."""
        return len(self._addresses.workers)

    @property
    def is_chief(self) -> bool:
        """Whether this is worker 0."""
        return (self.job_name, self.task_index) == ("worker", 0)

    def join(self) -> None:
        """A parameter server's whole work: `server.join()`, but it ends with the training.

        Raises:
            SystemExit: with status 0: at once where training is synchronous, else when it is over.
        """
        if self.synchronous:
            print(
                f"{self.job_name} {self.task_index}: nothing to do: synchronous training keeps its variables in the"
            )
            print("workers (tf.distribute.MultiWorkerMirroredStrategy)", flush=True)
            raise SystemExit(0)
        self._serve()

    def _serve(self) -> None:
        """Does what worker 0 asks for, until the training is over; worker 0 has to be there at the start."""
        over = ending.clear(self._addresses)
        self._start_server()
        others = self._addresses.others()
        needed = ("worker 0",) if self.job_name == "ps" else ("ps", "worker 0")
        waiting.wait_for({name: address for name, address in others.items() if name.startswith(needed)})
        print(f"{self.job_name} {self.task_index}: serving; the training runs in worker 0", flush=True)
        ending.serve_until_over(over)
        print(f"{self.job_name} {self.task_index}: the training is over", flush=True)
        raise SystemExit(0)

    def _start_server(self) -> None:
        _first_gpu_only()
        spec = tf.train.ClusterSpec({"ps": list(self._addresses.ps), "worker": list(self._addresses.workers)})
        self._server = tf.distribute.Server(spec, self.job_name, self.task_index, protocol="grpc", start=True)

    def resolver(self) -> Any:
        """The cluster as the strategies take it, once all tasks are there: `server.target` and the devices of TF1.

            tf.distribute.ParameterServerStrategy(server.resolver())                             asynchronous
            tf.distribute.MultiWorkerMirroredStrategy(cluster_resolver=server.resolver())        synchronous

        Asynchronous, the call returns in worker 0 only.

        Raises:
            ClusterError: another task does not answer within TF2TOWERS_CLUSTER_TIMEOUT seconds (60).
            SystemExit: with status 0, in the other workers of asynchronous training, when it is over.
        """
        if self.job_name == "ps":
            self.join()
        if self.synchronous:
            return self._resolver_of_workers()
        if self.task_index > 0:
            self._serve()
        return self._resolver_of_coordinator()

    def _resolver_of_coordinator(self) -> Any:
        self._start_server()
        waiting.wait_for(self._addresses.others())
        host = self._addresses.own.rpartition(":")[0]
        self._coordinator_address = f"{host}:{waiting.free_port()}"
        spec = {"ps": list(self._addresses.ps), "worker": list(self._addresses.workers)}
        return tf.distribute.cluster_resolver.SimpleClusterResolver(
            tf.train.ClusterSpec({**spec, "chief": [self._coordinator_address]}),
            task_type="chief",
            task_id=0,
            rpc_layer="grpc",
        )

    def _resolver_of_workers(self) -> Any:
        _first_gpu_only()
        others = {
            name: address for name, address in self._addresses.others().items() if name.startswith("worker")
        }
        if others:
            with waiting.listening(self._addresses.own):
                waiting.wait_for(others)
        self._starting.enter_context(waiting.limited(others))  # until the strategy is there
        return tf.distribute.cluster_resolver.SimpleClusterResolver(
            tf.train.ClusterSpec({"worker": list(self._addresses.workers)}),
            task_type="worker",
            task_id=self.task_index,
            rpc_layer="grpc",
        )

    def step(
        self, variables: Any, input_signature: Sequence[Any] | None = None, update: bool = True
    ) -> Callable[[Callable[..., Any]], Step]:
        """A decorator: the function below it becomes a step of this cluster's training. See `Step`.

        Args:
            variables: the `VariableStore`.
            input_signature: one `tf.TensorSpec` a parameter.
            update: False for an evaluation, which changes no moving average.
        """
        self._starting.close()
        if self._coordinator is None and not self.synchronous:
            lost_requests.survive()
            self._coordinator = tf.distribute.coordinator.ClusterCoordinator(variables.strategy)
        return step(variables, input_signature, update, self._coordinator, self._workers)

    def run_workers(self, function: Callable[[int], Any]) -> None:
        """Runs `function(task_index)`: what followed `server.join()` in a TF1 worker.

        Args:
            function: asynchronous: called for each worker, each in a thread of its own; synchronous: for this one.

        Raises:
            BaseException: what the first of them raised; the others are stopped at their next step.
        """
        if self.synchronous:
            function(self.task_index)
            return
        try:
            self._workers.run(function)
        finally:
            ending.announce(self._addresses, self._coordinator_address)


def _first_gpu_only() -> None:
    """A TF1 worker's operations were on '/job:worker/task:N', which is its first GPU, or its CPU."""
    gpus = tf.config.list_physical_devices("GPU")
    if len(gpus) > 1:
        try:
            tf.config.set_visible_devices(gpus[:1], "GPU")
        except RuntimeError as error:
            print(f"all {len(gpus)} GPUs stay in use: {error}", flush=True)


__all__ = ["ClusterError", "ClusterTask", "split"]

"""`tf.train.Server` of a migrated script: one task of the cluster, its strategy, and the workers' loops."""

from __future__ import annotations

import sys
import threading
import traceback
from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

from tf2towers.runtime.workers import ending, loops
from tf2towers.runtime.workers.addresses import check_task, claim, free_port, jobs_of, wait_for
from tf2towers.runtime.workers.meeting import meet
from tf2towers.runtime.workers.steps import WorkerStep
from tf2towers.runtime.variable_store import VariableStore

_current: dict[str, ClusterTask | None] = {"task": None}


def current_task() -> ClusterTask | None:
    """This process's task; None in a program without a cluster."""
    return _current["task"]


class ClusterTask:
    """One task of a cluster.

    Asynchronous training (TF1: every worker updates the parameter servers when it is done) is ParameterServerStrategy:
    the process of worker 0 holds worker 0's server and the coordinator, the other tasks serve. Synchronous training
    (TF1: SyncReplicasOptimizer) is MultiWorkerMirroredStrategy between the workers; parameter servers have nothing to do.

    Args:
        cluster: a `tf.train.ClusterSpec`, or a dict of job name -> addresses.
        job_name: 'ps', 'worker', or 'chief' or 'master' where the cluster has one (it is then worker 0).
        task_index: which task of the job this process is.
        synchronous: whether updates are synchronous.

    Raises:
        ClusterError: the cluster has no such task, an address is wrong, or this task's port is taken.
    """

    def __init__(self, cluster: Any, job_name: str, task_index: int, synchronous: bool = False) -> None:
        jobs = jobs_of(cluster)
        check_task(jobs, job_name, task_index)
        self.ps = jobs.get("ps", [])
        lead = jobs.get("chief", []) + jobs.get("master", [])
        self.workers = lead + jobs.get("worker", [])
        self.synchronous = bool(synchronous)
        self.is_ps = job_name == "ps"
        self.index = task_index + (len(lead) if job_name == "worker" else 0)
        self.address = (self.ps if self.is_ps else self.workers)[self.index]
        self.is_chief = not self.is_ps and self.index == 0
        self.ready = threading.Event()  # set when the chief has restored the variables
        self._strategy: Any = None
        self._coordinator: Any = None
        claim(self.address)
        if not self.synchronous:
            ending.forget(self.address)
            self._server = tf.distribute.Server(
                {"ps": self.ps, "worker": self.workers} if self.ps else {"worker": self.workers},
                job_name="ps" if self.is_ps else "worker",
                task_index=self.index,
                protocol="grpc",
            )
        _current["task"] = self

    def join(self) -> None:
        """Serves until the training is over, and ends the process: `server.join()` of a parameter server."""
        if self.synchronous and self.is_ps:
            print(
                f"ps {self.index}: synchronous training needs no parameter servers "
                "(MultiWorkerMirroredStrategy): nothing to do",
                flush=True,
            )
            raise SystemExit(0)
        ending.serve_until_over(self.address)
        raise SystemExit(0)

    def strategy(self) -> Any:
        """The strategy to make the variables under.

        Asynchronous, the call returns for worker 0 only: the other workers serve, and end when the training does.

        Raises:
            ClusterError: another task does not answer.
        """
        if self._strategy is None:
            _only_first_gpu()
            self._strategy = self._mirrored() if self.synchronous else self._parameter_servers()
        return self._strategy

    def _parameter_servers(self) -> Any:
        if not self.is_chief:
            print(f"worker {self.index}: worker 0 runs the loops of all workers; this process serves", flush=True)
            self.join()
        others = {f"ps {i}": address for i, address in enumerate(self.ps)}
        others |= {f"worker {i}": address for i, address in enumerate(self.workers) if i}
        wait_for(others)
        host = self.address.rpartition(":")[0]
        spec = {"ps": self.ps, "worker": self.workers, "chief": [f"{host}:{free_port()}"]}
        resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(
            tf.train.ClusterSpec(spec), task_type="chief", task_id=0, rpc_layer="grpc"
        )
        strategy = tf.distribute.ParameterServerStrategy(resolver)
        self._coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
        return strategy

    def _mirrored(self) -> Any:
        if self.is_ps:
            self.join()
        meet(self.workers, self.index)  # a missing peer would hang TF's own start, past any signal
        resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(
            tf.train.ClusterSpec({"worker": self.workers}),
            task_type="worker",
            task_id=self.index,
            rpc_layer="grpc",
        )
        return tf.distribute.MultiWorkerMirroredStrategy(cluster_resolver=resolver)

    def step(
        self, variables: VariableStore, input_signature: Sequence[Any] | None = None, update: bool = True
    ) -> Callable[[Callable[..., Any]], WorkerStep]:
        """A decorator: the function becomes a step of the worker whose loop calls it.

        Args:
            variables: the store that `get_variable` in the function goes to.
            input_signature: a `tf.TensorSpec` for each parameter; without, every new shape is traced again.
            update: False for an evaluation: nothing is updated.
        """
        schedule = self._schedule if self._coordinator is not None else None
        return lambda function: WorkerStep(
            function, variables, input_signature, update, self.strategy(), schedule
        )

    def _schedule(self, function: Any, given: tuple[Any, ...]) -> Any:
        return self._coordinator.schedule(function, args=given)

    def run_workers(self, train: Callable[[int], Any]) -> None:
        """Runs `train(task_index)`: of this worker, or, asynchronous, of every worker, a thread each.

        Raises:
            Exception: what the first loop raised; the training ends with it.
        """
        if self.synchronous:
            with loops.as_worker(self.index, None):
                train(self.index)
            self._leave_together()
            return
        turns = loops.Turns(len(self.workers)) if loops.Turns.wanted() else None
        errors: list[BaseException] = []
        failed = threading.Event()

        def run(index: int) -> None:
            try:
                with loops.as_worker(index, turns):
                    train(index)
            except SystemExit as ending_:
                if ending_.code not in (None, 0):
                    errors.append(ending_)
                    failed.set()
            except BaseException as error:  # noqa: BLE001 - handed to the main thread
                if errors:
                    traceback.print_exc()
                errors.append(error)
                failed.set()

        threads = [
            threading.Thread(target=run, args=(index,), name=f"worker {index}", daemon=True)
            for index in range(len(self.workers))
        ]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads) and not failed.is_set():
            for thread in threads:
                thread.join(timeout=0.1)
        sys.stdout.flush()
        if errors:
            raise errors[0]
        self._end()

    def _end(self) -> None:
        devices = {f"/job:ps/replica:0/task:{i}": address for i, address in enumerate(self.ps)}
        devices |= {
            f"/job:worker/replica:0/task:{i}": address for i, address in enumerate(self.workers) if i
        }
        ending.tell(devices)

    def _leave_together(self) -> None:
        """A last all-reduce: a worker that leaves early would take the others' collectives with it."""
        strategy = self.strategy()

        @tf.function(autograph=False)
        def meet() -> Any:
            def one() -> Any:
                context = tf.distribute.get_replica_context()
                assert context is not None
                return context.all_reduce(tf.distribute.ReduceOp.SUM, tf.constant(1.0))

            return strategy.run(one)

        meet()


def _only_first_gpu() -> None:
    """`replica_device_setter` placed a worker's ops on one device, its first GPU or its CPU."""
    gpus = tf.config.list_physical_devices("GPU")
    if len(gpus) > 1:
        tf.config.set_visible_devices(gpus[:1], "GPU")

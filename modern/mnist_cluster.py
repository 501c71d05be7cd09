"""Which tasks the cluster has, and which of them this process is: from TF1's flags, or from TF_CONFIG.

    cluster = Cluster.from_flags_or_environment(FLAGS)
    cluster.job, cluster.index, cluster.is_chief, cluster.addresses("ps")

Anything wrong with them ends the process within seconds, with a message that names the flag.
"""

from __future__ import annotations

import contextlib
import dataclasses
import faulthandler
import json
import os
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import tensorflow as tf
from absl import flags

Jobs = dict[str, list[str]]  # the addresses, as host:port, of each job's tasks


def define_flags() -> None:
    """TF1's flags for a cluster; where job_name is not given, TF_CONFIG says what they would."""
    flags.DEFINE_string("ps_hosts", "", "Comma-separated host:port of the parameter servers.")
    flags.DEFINE_string("worker_hosts", "", "Comma-separated host:port of the workers.")
    flags.DEFINE_string("job_name", None, "What this process is: ps or worker.")
    flags.DEFINE_integer("task_index", None, "Which of the job's tasks this process is.")
    flags.DEFINE_float("host_wait", 60.0, "Seconds to wait for a host that does not answer.")


@dataclasses.dataclass(frozen=True)
class Cluster:
    """TF1: tf.train.ClusterSpec, job_name and task_index."""

    jobs: Jobs
    job: str
    index: int

    @staticmethod
    def from_flags_or_environment(options: Any) -> Cluster:
        """The flags where --job_name is given, or TF_CONFIG, which Kubeflow, Vertex AI and others set."""
        if options.job_name:
            hosts = {"ps": options.ps_hosts, "worker": options.worker_hosts}
            jobs = {job: addresses.split(",") for job, addresses in hosts.items() if addresses}
            task, source = (options.job_name, options.task_index), "--job_name, --task_index"
        elif text := os.environ.get("TF_CONFIG"):
            try:
                config = json.loads(text)
                jobs = {job: list(addresses) for job, addresses in config["cluster"].items() if addresses}
                task, source = (config["task"]["type"], int(config["task"]["index"])), "TF_CONFIG"
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise SystemExit(f"TF_CONFIG is not a cluster and a task: {error!r} in {text}") from error
        else:
            raise SystemExit("Must specify an explicit job_name! (or set TF_CONFIG)")
        return Cluster(jobs, *task).checked(source)

    def checked(self, source: str) -> Cluster:
        """The cluster itself, or an end with a message on what does not fit together."""
        if "worker" not in self.jobs:
            raise SystemExit(f"{source}: the cluster has no worker (--worker_hosts)")
        if self.job not in self.jobs:
            hint = " (--ps_hosts)" if self.job == "ps" else ""
            raise SystemExit(f"{source}: no job {self.job!r} in the cluster, only {sorted(self.jobs)}{hint}")
        if self.index is None:
            raise SystemExit("Must specify an explicit task_index!")
        if not 0 <= self.index < len(self.jobs[self.job]):
            count = len(self.jobs[self.job])
            raise SystemExit(f"{source}: no task {self.index} in job {self.job!r}, which has {count}")
        everyone = [address for addresses in self.jobs.values() for address in addresses]
        for address in everyone:
            host, _, port = address.rpartition(":")
            if not host or not port.isdigit() or not 0 < int(port) < 65536:
                raise SystemExit(f"{source}: {address!r} is not host:port")
            if everyone.count(address) > 1:
                raise SystemExit(f"{source}: {address} is given to more than one task")
        return self

    @property
    def address(self) -> str:
        """This task's own."""
        return self.jobs[self.job][self.index]

    @property
    def chief(self) -> tuple[str, int]:
        """The task that leads: `chief` where TF_CONFIG has one, or worker 0, as in TF1."""
        return ("chief" if "chief" in self.jobs else "worker"), 0

    @property
    def is_chief(self) -> bool:
        """Whether this task leads."""
        return (self.job, self.index) == self.chief

    def addresses(self, *names: str) -> list[str]:
        """Those of all tasks of some jobs."""
        return [address for name in names for address in self.jobs.get(name, [])]

    def resolver(self, *names: str) -> tf.distribute.cluster_resolver.ClusterResolver:
        """What the strategies take: this task, among those of some jobs."""
        spec = tf.train.ClusterSpec({name: self.jobs[name] for name in names if name in self.jobs})
        return tf.distribute.cluster_resolver.SimpleClusterResolver(
            spec, task_type=self.job, task_id=self.index, rpc_layer="grpc"
        )

    def with_chief(self, port: int) -> Cluster:
        """Worker 0's process as a coordinator, at a port of its own."""
        host = self.address.rpartition(":")[0]
        return Cluster({**self.jobs, "chief": [f"{host}:{port}"]}, "chief", 0)

    def claim_port(self) -> None:
        """End if another process has this task's port: gRPC would share it, and each get half the calls."""
        port = int(self.address.rpartition(":")[2])
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("", port))
            except OSError as error:
                task = f"{self.job} {self.index}"
                raise SystemExit(f"{self.address}, the address of {task}: {error.strerror}") from error

    def own_cores(self) -> int:
        """This task's part of its host's cores: tasks on one host lose by more threads inside an operation."""
        host = self.address.rpartition(":")[0]
        here = [task for task in self.addresses(*self.jobs) if task.rpartition(":")[0] == host]
        return max(1, (os.cpu_count() or 1) // len(here))


def free_port() -> int:
    """A port nothing listens on now."""
    with socket.socket() as probe:
        probe.bind(("", 0))
        return int(probe.getsockname()[1])


def unreachable(addresses: list[str]) -> list[str]:
    """Those of the addresses where nothing accepts a connection."""

    def answers(address: str) -> bool:
        host, _, port = address.rpartition(":")
        try:
            socket.create_connection((host.strip("[]"), int(port)), timeout=2).close()
        except OSError:
            return False
        return True

    with ThreadPoolExecutor(max(1, len(addresses))) as threads:
        answered = list(threads.map(answers, addresses))
    return [address for address, yes in zip(addresses, answered, strict=True) if not yes]


def wait_for(addresses: list[str], seconds: float) -> None:
    """Return when every address answers; end with their names when some do not within `seconds`."""
    deadline, told = time.monotonic() + seconds, False
    while missing := unreachable(addresses):
        if time.monotonic() > deadline:
            raise SystemExit(f"no answer in {seconds:g} s (--host_wait) from {', '.join(missing)}")
        if not told:
            print(f"waiting up to {seconds:g} s (--host_wait) for {', '.join(missing)}", flush=True)
        told = True
        time.sleep(0.5)


def meet(cluster: Cluster, addresses: list[str], seconds: float) -> None:
    """Return when every address answers, and answer at this task's own in the meantime."""
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("", int(cluster.address.rpartition(":")[2])))
        listener.listen(128)
        wait_for(addresses, seconds)


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Around a call into TensorFlow that waits for ever, in which no Python runs: end the process."""
    faulthandler.dump_traceback_later(seconds, exit=True)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()

"""The tasks of the cluster, and the task that this process is: from TF1's flags, or from TF_CONFIG."""

import contextlib
import dataclasses
import os
import re
import socket
import time
from typing import Any

import tensorflow as tf


@dataclasses.dataclass(frozen=True)
class Cluster:
    """TF1: tf.train.ClusterSpec, job_name and task_index; `jobs` has the addresses of each job's tasks."""

    jobs: dict[str, list[str]]
    job: str
    index: int

    def __post_init__(self) -> None:
        """Ends the process with a sentence if the cluster is not valid."""
        tasks, everyone = self.jobs.get(self.job, []), self.addresses(*self.jobs)
        for wrong, sentence in (
            ("worker" not in self.jobs, "the cluster has no worker (--worker_hosts)"),
            (not tasks, f"no job {self.job!r} in the cluster, only {sorted(self.jobs)}"),
            (self.index is None, "Must specify an explicit task_index!"),
            (self.index not in range(len(tasks)), f"{self.job} has no task {self.index}, only {len(tasks)}"),
            *((not re.fullmatch(r".+:\d+", each), f"{each!r} is not host:port") for each in everyone),
            *((everyone.count(each) > 1, f"{each} is given to more than one task") for each in everyone),
        ):
            if wrong:
                raise SystemExit(sentence)

    @property
    def chief(self) -> str:
        """The address of the task that leads: `chief` where there is one, or worker 0, as in TF1."""
        return self.jobs["chief" if "chief" in self.jobs else "worker"][0]

    @property
    def address(self) -> str:
        """The address of this task."""
        return self.jobs[self.job][self.index]

    def addresses(self, *names: str) -> list[str]:
        """The addresses of all tasks of some jobs."""
        return [address for name in names for address in self.jobs.get(name, [])]

    def resolver(self, *names: str) -> tf.distribute.cluster_resolver.ClusterResolver:
        """The cluster resolver for a strategy: the tasks of some jobs, and this task."""
        spec = tf.train.ClusterSpec({name: self.jobs[name] for name in names if name in self.jobs})
        options = {"task_type": self.job, "task_id": self.index, "rpc_layer": "grpc"}
        return tf.distribute.cluster_resolver.SimpleClusterResolver(spec, **options)

    def claim_port(self) -> socket.socket:
        """Listens at this task's address. If another process does, ends: each would get half of the calls."""
        try:
            return socket.create_server(("", int(self.address.rpartition(":")[2])), backlog=128)
        except OSError as error:
            raise SystemExit(
                f"{self.address}, address of {self.job} {self.index}: {error.strerror}"
            ) from None


def from_flags_or_environment(options: Any) -> Cluster:
    """The cluster of the flags, if --job_name is given, else of TF_CONFIG; if neither is given, ends the process."""
    if options.job_name:
        hosts = {"chief": options.chief_host, "ps": options.ps_hosts, "worker": options.worker_hosts}
        jobs = {job: addresses.split(",") for job, addresses in hosts.items() if addresses}
        return Cluster(jobs, options.job_name, options.task_index)
    if os.environ.get("TF_CONFIG"):
        given = tf.distribute.cluster_resolver.TFConfigClusterResolver()
        return Cluster(given.cluster_spec().as_dict(), given.task_type, given.task_id)
    raise SystemExit("Must specify an explicit job_name! (or set TF_CONFIG)")


def wait_for(addresses: list[str], seconds: float) -> None:
    """Return when every address answers; end with their names when some do not within `seconds`."""
    deadline, missing = time.monotonic() + seconds, list(addresses)
    while missing:
        for address in list(missing):
            host, _, port = address.rpartition(":")
            with (
                contextlib.suppress(OSError),
                socket.create_connection((host.strip("[]"), int(port)), timeout=2),
            ):
                missing.remove(address)
        if missing and time.monotonic() > deadline:
            raise SystemExit(f"no answer in {seconds:g} s (--host_wait) from {', '.join(missing)}")
        time.sleep(0.5 * bool(missing))

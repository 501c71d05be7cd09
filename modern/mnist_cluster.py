"""The tasks of the cluster, and which of them this process is: what the variable TF_CONFIG says."""

import contextlib
import json
import os
import socket
import time
from typing import NamedTuple

import tensorflow as tf


class Cluster(NamedTuple):
    """TF1: tf.train.ClusterSpec, job_name, task_index; `jobs` has the addresses of each job's tasks."""

    jobs: dict[str, list[str]]
    job: str
    index: int

    def resolver(self, *names: str) -> tf.distribute.cluster_resolver.ClusterResolver:
        """The cluster resolver for a strategy: the tasks of some jobs, and this task."""
        spec = tf.train.ClusterSpec({name: self.jobs[name] for name in names if name in self.jobs})
        resolvers = tf.distribute.cluster_resolver
        return resolvers.SimpleClusterResolver(spec, task_type=self.job, task_id=self.index, rpc_layer="grpc")

    def claim_port(self) -> socket.socket:
        """Listens at this task's address. If another process does, ends: each would get half of the calls."""
        address = self.jobs[self.job][self.index]
        try:
            return socket.create_server(("", int(address.rpartition(":")[2])), backlog=128)
        except OSError as error:
            raise SystemExit(f"{address}, address of {self.job} {self.index}: {error.strerror}") from None


def from_environment() -> Cluster:
    """The cluster and the task of TF_CONFIG, as `tf2towers launch` or a scheduler sets it."""
    try:
        config = json.loads(os.environ["TF_CONFIG"])
        jobs, job, index = config["cluster"], config["task"]["type"], int(config["task"]["index"])
        _ = jobs[job][index], jobs["worker"][0]  # both are there
    except (LookupError, TypeError, ValueError):
        example = '{"cluster": {"worker": ["host:port", ...]}, "task": {"type": "worker", "index": 0}}'
        raise SystemExit(f"TF_CONFIG has to name the cluster, and this task of it: {example}") from None
    return Cluster(jobs, job, index)


def wait_for(addresses: list[str], seconds: float) -> None:
    """Return when every address answers; end with their names when some do not within `seconds`."""
    deadline, missing = time.monotonic() + seconds, list(addresses)
    while missing:
        for host, _, port in [address.rpartition(":") for address in missing]:
            with contextlib.suppress(OSError):
                socket.create_connection((host.strip("[]"), int(port)), timeout=2).close()
                missing.remove(f"{host}:{port}")
        if missing and time.monotonic() > deadline:
            raise SystemExit(f"no answer in {seconds:g} s (--host_wait) from {', '.join(missing)}")
        time.sleep(0.5 * bool(missing))

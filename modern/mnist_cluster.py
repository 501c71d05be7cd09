"""Which tasks the cluster has, and which of them this process is: from TF1's flags, or from TF_CONFIG.

Anything wrong with them ends the process within seconds, with a message that names the flag.
"""

from __future__ import annotations

import dataclasses
import json
import os
import socket
import time
from typing import Any

import tensorflow as tf
from absl import flags


def define_flags() -> None:
    """TF1's flags for a cluster; where job_name is not given, TF_CONFIG says what they would."""
    flags.DEFINE_string("ps_hosts", "", "Comma-separated host:port of the parameter servers.")
    flags.DEFINE_string("worker_hosts", "", "Comma-separated host:port of the workers.")
    flags.DEFINE_string("job_name", None, "What this process is: ps or worker.")
    flags.DEFINE_integer("task_index", None, "Which of the job's tasks this process is.")
    flags.DEFINE_float("host_wait", 60.0, "Seconds to wait for a host that does not answer.")


@dataclasses.dataclass(frozen=True)
class Cluster:
    """TF1: tf.train.ClusterSpec, job_name and task_index; `jobs` has the addresses of each job's tasks."""

    jobs: dict[str, list[str]]
    job: str
    index: int

    @staticmethod
    def from_flags_or_environment(options: Any) -> Cluster:
        """The flags where --job_name is given, or TF_CONFIG, which Kubeflow, Vertex AI and others set."""
        if options.job_name:
            hosts = {"ps": options.ps_hosts, "worker": options.worker_hosts}
            config = {"cluster": {job: text.split(",") for job, text in hosts.items() if text}}
            config["task"] = {"type": options.job_name, "index": options.task_index}
        elif not (text := os.environ.get("TF_CONFIG")):
            raise SystemExit("Must specify an explicit job_name! (or set TF_CONFIG)")
        try:
            config = config if options.job_name else json.loads(text)
            jobs, task = {job: list(tasks) for job, tasks in config["cluster"].items()}, config["task"]
            cluster = Cluster(jobs, task["type"], task["index"])
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise SystemExit(f"TF_CONFIG is not a cluster and a task: {error!r} in {text}") from error
        if problem := cluster.problem():
            raise SystemExit(f"{'--job_name, --task_index' if options.job_name else 'TF_CONFIG'}: {problem}")
        return cluster

    def problem(self) -> str:
        """What does not fit together, if anything."""
        everyone = self.addresses(*self.jobs)
        if "worker" not in self.jobs:
            return "the cluster has no worker (--worker_hosts)"
        if self.job not in self.jobs:
            return f"no job {self.job!r} in the cluster, only {sorted(self.jobs)}"
        if self.index is None:
            return "Must specify an explicit task_index!"
        if not 0 <= self.index < len(self.jobs[self.job]):
            return f"no task {self.index} in job {self.job!r}, which has {len(self.jobs[self.job])}"
        for address in everyone:
            host, _, port = address.rpartition(":")
            if not (host and port.isdigit() and 0 < int(port) < 65536):
                return f"{address!r} is not host:port"
            if everyone.count(address) > 1:
                return f"{address} is given to more than one task"
        return ""

    @property
    def address(self) -> str:
        """This task's own."""
        return self.jobs[self.job][self.index]

    @property
    def chief(self) -> str:
        """The address of the task that leads: `chief` where TF_CONFIG has one, or worker 0, as in TF1."""
        return self.jobs["chief" if "chief" in self.jobs else "worker"][0]

    @property
    def is_chief(self) -> bool:
        """Whether this task leads."""
        return self.address == self.chief

    def addresses(self, *names: str) -> list[str]:
        """Those of all tasks of some jobs."""
        return [address for name in names for address in self.jobs.get(name, [])]

    def claim_port(self) -> socket.socket:
        """Listens at this task's address; ends if another process does: they would get half of the calls each."""
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("", int(self.address.rpartition(":")[2])))
        except OSError as error:
            raise SystemExit(
                f"{self.address}, the address of {self.job} {self.index}: {error.strerror}"
            ) from error
        listener.listen(128)
        return listener

    def resolver(self, *names: str) -> tf.distribute.cluster_resolver.ClusterResolver:
        """What the strategies take: this task, among those of some jobs."""
        spec = tf.train.ClusterSpec({name: self.jobs[name] for name in names if name in self.jobs})
        return tf.distribute.cluster_resolver.SimpleClusterResolver(
            spec, task_type=self.job, task_id=self.index, rpc_layer="grpc"
        )


def answers(address: str) -> bool:
    """Whether anything accepts a connection there."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=2).close()
    except OSError:
        return False
    return True


def wait_for(addresses: list[str], seconds: float) -> None:
    """Return when every address answers; end with their names when some do not within `seconds`."""
    deadline = time.monotonic() + seconds
    while missing := [address for address in addresses if not answers(address)]:
        if time.monotonic() > deadline:
            raise SystemExit(f"no answer in {seconds:g} s (--host_wait) from {', '.join(missing)}")
        time.sleep(0.5)

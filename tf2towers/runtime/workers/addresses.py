"""The hosts of a cluster: checked before anything is started, waited for, and claimed."""

from __future__ import annotations

import os
import socket
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any

#: Seconds to wait for the other tasks; the environment's TF2TOWERS_CLUSTER_TIMEOUT says otherwise.
DEFAULT_TIMEOUT = 60.0


class ClusterError(ValueError):
    """The cluster's description is wrong, or a host of it cannot be reached."""


def jobs_of(cluster: Any) -> dict[str, list[str]]:
    """Job -> addresses of its tasks, from a `tf.train.ClusterSpec` or a dict.

    Raises:
        ClusterError: an empty or malformed address, or one that two tasks have.
    """
    given: Mapping[str, Any] = cluster if isinstance(cluster, Mapping) else cluster.as_dict()
    jobs: dict[str, list[str]] = {}
    for job, hosts in given.items():
        addresses = list(hosts.values()) if isinstance(hosts, Mapping) else [str(host).strip() for host in hosts]
        if addresses and addresses != [""]:
            jobs[str(job)] = addresses
    seen: dict[str, str] = {}
    for job, addresses in jobs.items():
        for index, address in enumerate(addresses):
            host, _, port = address.rpartition(":")
            if not host or not port.isdigit() or not 0 < int(port) < 65536:
                raise ClusterError(f"{address!r}, the address of {job} {index}, is not host:port")
            if address in seen:
                raise ClusterError(f"{address} is the address of both {seen[address]} and {job} {index}")
            seen[address] = f"{job} {index}"
    return jobs


def check_task(jobs: Mapping[str, Sequence[str]], job_name: Any, task_index: Any) -> None:
    """Raises ClusterError unless the cluster has this task, and a worker."""
    if job_name not in jobs:
        known = ", ".join(f"{job} ({len(hosts)})" for job, hosts in sorted(jobs.items())) or "none at all"
        raise ClusterError(f"job_name is {job_name!r}, and the cluster's jobs are: {known}")
    if not isinstance(task_index, int) or not 0 <= task_index < len(jobs[job_name]):
        last = len(jobs[job_name]) - 1
        raise ClusterError(f"task_index is {task_index!r}, and the tasks of job {job_name!r} are 0 to {last}")
    if not any(job in jobs for job in ("worker", "chief", "master")):
        raise ClusterError("the cluster has no worker")


def claim(address: str) -> None:
    """Raises ClusterError where the port of this task's own address is taken: gRPC would share it in silence."""
    host, _, port = address.rpartition(":")
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("", int(port)))
        except OSError as error:
            raise ClusterError(f"this task's own address, {host}:{port}: {error.strerror}") from error


def free_port() -> int:
    """A port that nothing listens on now."""
    with socket.socket() as probe:
        probe.bind(("", 0))
        return int(probe.getsockname()[1])


def wait_for(tasks: Mapping[str, str]) -> None:
    """Waits until every address takes connections.

    Args:
        tasks: name -> address.

    Raises:
        ClusterError: a host name that does not resolve (at once), or a task that does not answer in time.
    """
    timeout = float(os.environ.get("TF2TOWERS_CLUSTER_TIMEOUT", DEFAULT_TIMEOUT))
    started, told = time.monotonic(), False
    left = dict(tasks)
    while True:
        left = {name: address for name, address in left.items() if not _answers(name, address)}
        if not left:
            return
        waited = time.monotonic() - started
        names = ", ".join(f"{name} at {address}" for name, address in left.items())
        if waited > timeout:
            raise ClusterError(
                f"no answer in {timeout:.0f} s from {names} (TF2TOWERS_CLUSTER_TIMEOUT sets how long to wait)"
            )
        if waited > 5 and not told:
            print(f"Waiting for {names}", file=sys.stderr, flush=True)
            told = True
        time.sleep(0.2)


def _answers(name: str, address: str) -> bool:
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=2).close()
    except socket.gaierror as error:
        raise ClusterError(f"{name} at {address}: no such host ({error.strerror})") from error
    except OSError:
        return False
    return True

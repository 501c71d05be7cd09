"""The addresses of a cluster's tasks, checked before anything waits for them."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from typing import Any

LEADERS = ("chief", "master")  # TF_CONFIG's names for --job_name=worker --task_index=0
JOBS = ("ps", "worker", *LEADERS)


class ClusterError(ValueError):
    """The cluster or this task is not valid: the message names the value and what is wrong."""


def check_addresses(cluster: Any, job_name: Any, task_index: Any) -> None:
    """Checks all addresses of a cluster, and one of its tasks.

    Args:
        cluster: a `tf.train.ClusterSpec`, or a dict from job to addresses (a list, or a dict from
            index to address).
        job_name: the job of this process.
        task_index: the index of this process in its job.

    Raises:
        ClusterError: something is not valid; TF1's `tf.train.Server` raised InvalidArgumentError or
            waited for ever.
    """
    jobs = _jobs(cluster)
    task = f"job_name={job_name!r}, task_index={task_index!r}"
    if job_name not in jobs:
        known = ", ".join(f"{job!r} ({len(hosts)})" for job, hosts in jobs.items()) or "none"
        raise ClusterError(f"{task}: the cluster has no job {job_name!r}. Its jobs are: {known}.")
    if job_name not in JOBS:
        raise ClusterError(
            f"{task}: a task of job {job_name!r} takes no part in training; the jobs that do are {JOBS}."
        )
    for job, hosts in jobs.items():
        if not hosts or not all(hosts):
            raise ClusterError(
                f"{task}: the list of hosts of job {job!r} is empty, or has an empty name: {hosts}."
            )
        for host in hosts:
            _check_address(task, job, host)
    try:
        index = int(task_index)
    except (TypeError, ValueError):
        raise ClusterError(f"{task}: task_index is not a number.") from None
    hosts = jobs[job_name]
    if not 0 <= index < len(hosts):
        raise ClusterError(
            f"{task}: job {job_name!r} has {len(hosts)} task{'s' * (len(hosts) > 1)} ({', '.join(hosts)}): "
            f"task_index goes from 0 to {len(hosts) - 1}."
        )
    if not any(jobs.get(job) for job in ("worker", *LEADERS)):
        raise ClusterError(f"{task}: the cluster has no worker.")
    everyone = [host for job in JOBS for host in jobs.get(job, [])]
    for host in everyone:
        if everyone.count(host) > 1:
            raise ClusterError(f"{task}: {host} is the address of more than one task.")


def _jobs(cluster: Any) -> dict[str, list[str]]:
    given = cluster.as_dict() if hasattr(cluster, "as_dict") else cluster
    if not isinstance(given, Mapping):
        raise ClusterError(f"the cluster must be a tf.train.ClusterSpec or a dict of jobs, not {cluster!r}.")
    jobs = {}
    for job, hosts in given.items():
        listed = [hosts[index] for index in sorted(hosts)] if isinstance(hosts, Mapping) else hosts
        jobs[str(job)] = [listed] if isinstance(listed, str) else [str(host) for host in listed]
    return jobs


def _check_address(task: str, job: str, address: str) -> None:
    host, _, port = address.rpartition(":")
    if not host or "/" in host or " " in address or not port.isdigit() or not 0 < int(port) < 65536:
        raise ClusterError(f"{task}: {address!r}, an address of job {job!r}, is not of the form host:port.")


def split(address: str) -> tuple[str, int]:
    """Host and port of an address; an IPv6 host without its brackets."""
    host, _, port = address.rpartition(":")
    return host.strip("[]"), int(port)


def check_port(task: str, address: str) -> None:
    """Raises ClusterError if another process listens at a task's address: gRPC would share it."""
    _, port = split(address)
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("", port))
        except OSError as error:
            raise ClusterError(
                f"{task}: port {port} of {address} cannot be used here ({error.strerror}). Does this task run already, "
                "or another program at this port?"
            ) from None

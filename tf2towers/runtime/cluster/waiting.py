"""Waiting for the other tasks of the cluster, with a limit and a message that names them."""

from __future__ import annotations

import os
import socket
import sys
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

from tf2towers.runtime.cluster.addresses import ClusterError, split

TIMEOUT = "TF2TOWERS_CLUSTER_TIMEOUT"
_QUIET_SECONDS = 5.0  # seconds before the first message


def time_limit() -> float:
    """Seconds to wait for a silent task: TF2TOWERS_CLUSTER_TIMEOUT of the environment, or 60."""
    try:
        return float(os.environ.get(TIMEOUT, "60"))
    except ValueError:
        raise ClusterError(f"{TIMEOUT}={os.environ[TIMEOUT]!r} is not a number of seconds.") from None


def free_port() -> int:
    """A port at which nothing listens now."""
    with socket.socket() as probe:
        probe.bind(("", 0))
        return int(probe.getsockname()[1])


def answers(address: str) -> bool:
    """True if a connection to `address` is accepted, within 2 seconds."""
    try:
        socket.create_connection(split(address), timeout=2).close()
    except OSError:
        return False
    return True


def _find_silent(tasks: Mapping[str, str]) -> list[str]:
    with ThreadPoolExecutor(max(1, min(32, len(tasks)))) as threads:
        found = list(threads.map(answers, tasks.values()))
    silent = [name for name, yes in zip(tasks, found, strict=True) if not yes]
    return [f"{name} ({tasks[name]}{'' if _resolves(tasks[name]) else ', no such host'})" for name in silent]


def _resolves(address: str) -> bool:
    """True if a host's name can be resolved; on Kubernetes it cannot before its pod has started."""
    try:
        socket.getaddrinfo(split(address)[0], None)
    except OSError:
        return False
    return True


def wait_for(tasks: Mapping[str, str]) -> None:
    """Waits until every one of `tasks` (name: address) accepts connections.

    Raises:
        ClusterError: a task is silent for `time_limit()` seconds. TF1 waited for ever, with a
            message every 10 seconds.
    """
    limit, start, reported = time_limit(), time.monotonic(), False
    while missing := _find_silent(tasks):
        waited = time.monotonic() - start
        if waited > limit:
            raise ClusterError(
                f"no answer from {', '.join(missing)} within {limit:g} seconds. Start every task of the cluster, each "
                f"with the same hosts; {TIMEOUT} sets the seconds to wait."
            )
        if waited > min(_QUIET_SECONDS, limit / 2) and not reported:
            print(f"waiting up to {limit:g} seconds for {', '.join(missing)}", file=sys.stderr, flush=True)
            reported = True
        time.sleep(0.2)

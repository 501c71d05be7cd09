"""The workers of synchronous training meet at worker 0's address before TensorFlow takes over."""

from __future__ import annotations

import contextlib
import os
import socket
import sys
import time
from collections.abc import Sequence

from tf2towers.runtime.workers.addresses import DEFAULT_TIMEOUT, ClusterError


def meet(workers: Sequence[str], index: int) -> None:
    """Returns in all workers once they are all there.

    Args:
        workers: their addresses.
        index: this one's place.

    Raises:
        ClusterError: some are not there in time (TF2TOWERS_CLUSTER_TIMEOUT seconds), or a host does not resolve.
    """
    if len(workers) < 2:
        return
    deadline = time.monotonic() + float(os.environ.get("TF2TOWERS_CLUSTER_TIMEOUT", DEFAULT_TIMEOUT))
    if index == 0:
        _receive(workers, deadline)
    else:
        _report(workers[0], index, deadline)


def _receive(workers: Sequence[str], deadline: float) -> None:
    missing = set(range(1, len(workers)))
    there: list[socket.socket] = []
    told = time.monotonic() + 5
    with socket.socket() as own:
        own.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        own.bind(("", int(workers[0].rpartition(":")[2])))
        own.listen(len(workers))
        own.settimeout(0.5)
        while missing:
            names = ", ".join(f"worker {one} at {workers[one]}" for one in sorted(missing))
            if time.monotonic() > deadline:
                raise ClusterError(
                    f"{names} did not come (TF2TOWERS_CLUSTER_TIMEOUT sets how many seconds to wait)"
                )
            if time.monotonic() > told:
                print(f"Waiting for {names}", file=sys.stderr, flush=True)
                told = deadline
            with contextlib.suppress(TimeoutError, OSError, ValueError):
                guest, _ = own.accept()
                guest.settimeout(5)
                missing.discard(int(guest.recv(16)))
                there.append(guest)
    for guest in there:
        with contextlib.suppress(OSError):
            guest.sendall(b"go")
            guest.close()


def _report(address: str, index: int, deadline: float) -> None:
    host, _, port = address.rpartition(":")
    while True:
        try:
            with socket.create_connection((host.strip("[]"), int(port)), timeout=2) as line:
                line.sendall(str(index).encode())
                line.settimeout(max(1.0, deadline - time.monotonic()))
                if line.recv(2) == b"go":
                    return
        except socket.gaierror as error:
            raise ClusterError(f"worker 0 at {address}: no such host ({error.strerror})") from error
        except OSError:
            pass
        if time.monotonic() > deadline:
            raise ClusterError(
                f"worker 0 at {address} does not answer (TF2TOWERS_CLUSTER_TIMEOUT sets how many seconds to wait)"
            )
        time.sleep(0.2)

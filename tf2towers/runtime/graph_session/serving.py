"""A task that keeps variables: it serves until the training has ended, which the workers tell it.

TF1's parameter servers were killed from outside. Here each worker writes a small file on the parameter server's machine
when it ends well, and its address tells whether it is alive.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import socket
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tensorflow as tf

from tf2towers.runtime.cluster import waiting
from tf2towers.runtime.cluster.addresses import ClusterError, split

#: seconds in which a worker that died may come back, once another has ended well
RETURN = 10.0


def _folder(server: str) -> str:
    return f"/tmp/tf2towers-{re.sub(r'[^0-9A-Za-z.]', '-', server)}"


def marker(server: str, worker: str) -> str:
    """The file by which a worker tells a parameter server, both by their addresses, that it has ended well."""
    return f"{_folder(server)}/{re.sub(r'[^0-9A-Za-z.]', '-', worker)}.over"


def ended_well() -> bool:
    """Whether this process, which is about to end, does so without an error."""
    return getattr(sys, "last_value", None) is None


def leave_at_once() -> None:
    """Ends this process without TensorFlow's cleaning up, which waits for a dead task for ever."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0 if ended_well() else 1)


class Serving:
    """A task's server: TensorFlow's for one that keeps variables, an open port for a worker.

    Args:
        spec: the cluster.
        job: the job of this task.
        index: its place in the job.
        workers: the addresses of those who train, by their names; none for a worker.
    """

    def __init__(self, spec: tf.train.ClusterSpec, job: str, index: int, workers: Mapping[str, str]) -> None:
        self._address = spec.task_address(job, index)
        self._name = f"{job} {index}"
        self._workers = workers
        self._server: Any = None
        self._seen: set[str] = set()
        _check_port(self._name, self._address)
        if workers:
            shutil.rmtree(_folder(self._address), ignore_errors=True)
            os.environ.setdefault("GRPC_FAIL_FAST", "use_caller")
            self._server = tf.distribute.Server(spec, job, index, protocol="grpc", start=True)
        else:
            self._open()

    def _open(self) -> None:
        """A port that shows that the task is alive; nothing is asked there."""
        door = socket.socket()
        door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        door.bind(("", split(self._address)[1]))
        door.listen(64)

        def answer() -> None:
            while True:
                with contextlib.suppress(OSError):
                    door.accept()[0].close()

        threading.Thread(target=answer, daemon=True, name="alive").start()

    def until_the_end(self) -> None:
        """Returns when the training has ended: a worker has ended well, and no worker is left, or will come.

        A worker that died has `RETURN` seconds to come back, one that never came has the time that tasks have to start.
        """
        alone_since: float | None = None
        while True:
            alive = {name for name, address in self._workers.items() if waiting.answers(address)}
            self._seen |= alive
            over = {name for name, one in self._workers.items() if Path(marker(self._address, one)).exists()}
            if alive or not over:
                alone_since = None
            else:
                alone_since = alone_since or time.monotonic()
                missing = set(self._workers) - over
                patience = 0.0
                if missing:
                    patience = (
                        waiting.time_limit() if missing - self._seen else min(RETURN, waiting.time_limit())
                    )
                if time.monotonic() - alone_since >= patience:
                    break
            time.sleep(0.3)
        print(f"{self._name}: the training has ended", flush=True)
        shutil.rmtree(_folder(self._address), ignore_errors=True)


def _check_port(name: str, address: str) -> None:
    """Raises ClusterError where another process listens at a task's address (gRPC would share the port with it)."""
    _, port = split(address)
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("", port))
        except OSError as error:
            raise ClusterError(
                f"{name}: port {port} of {address} cannot be used here ({error.strerror}). Does this task run already, "
                "or another program at this port?"
            ) from None

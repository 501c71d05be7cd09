"""A task's server, and how a task that keeps variables learns that the training has ended.

TF1's parameter servers were killed from outside. Here each worker writes a small file on the parameter server's machine
when it ends well, and its address tells whether it is alive.

A worker only has a door: a port that says what the task does. It becomes a server where its operations, or what it
keeps, are for others as well (in-graph replication).
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
from tf2towers.runtime.cluster.addresses import check_port, split
from tf2towers.runtime.graph_session import private

#: seconds in which a worker that died may come back, once another has ended well
RETURN = 10.0

#: What a door says: the task has run nothing yet; it runs its own operations alone; it wants to run those of others.
UNDECIDED, ALONE, WILLING = b"tf2towers: undecided\n", b"tf2towers: alone\n", b"tf2towers: willing\n"
#: What a task is that has no door: it does not answer, or it is a server.
SILENT, SERVING = b"", b"serving"


def state_of(address: str) -> bytes:
    """What the task at an address is at this moment."""
    try:
        with socket.create_connection(split(address), timeout=2) as door:
            with contextlib.suppress(TimeoutError):
                door.settimeout(1)
                said = door.recv(64)
                return said if said in (UNDECIDED, ALONE, WILLING) else SERVING if said else SILENT
            return SERVING
    except OSError:
        return SILENT


def _folder(server: str) -> str:
    return f"/tmp/tf2towers-{re.sub(r'[^0-9A-Za-z.]', '-', server)}"


def marker(server: str, worker: str) -> str:
    """The file by which a worker tells a parameter server, both by their addresses, that it has ended well."""
    return f"{_folder(server)}/{re.sub(r'[^0-9A-Za-z.]', '-', worker)}.over"


def present(server: str, client: str) -> str:
    """The file by which a task tells a server, both by their addresses, that it uses it."""
    return f"{_folder(server)}/{re.sub(r'[^0-9A-Za-z.]', '-', client)}.here"


def ended_well() -> bool:
    """Whether this process, which is about to end, does so without an error."""
    return getattr(sys, "last_value", None) is None


def leave_at_once() -> None:
    """Ends this process without TensorFlow's cleaning up, which waits for a dead task for ever."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0 if ended_well() else 1)


class Serving:
    """A task's server: TensorFlow's for one that keeps variables, a door for a worker.

    Args:
        spec: the cluster.
        job: the job of this task.
        index: its place in the job.
        serves: whether it keeps variables.
        workers: the addresses of those who train, by their names; whoever says so, if none are known.
    """

    def __init__(
        self, spec: tf.train.ClusterSpec, job: str, index: int, serves: bool, workers: Mapping[str, str]
    ) -> None:
        self._job, self._index = job, index
        self._address = spec.task_address(job, index)
        self._name = f"{job} {index}"
        self._workers = workers
        self._server: Any = None
        self._door: socket.socket | None = None
        self._seen: set[str] = set()
        self.says = UNDECIDED
        check_port(self._name, self._address)
        if serves:
            self.serve()
        else:
            self._open()

    def serve(self) -> None:
        """Becomes a server, if this is none yet."""
        if self._server is not None:
            return
        if self._door is not None:
            door, self._door = self._door, None
            with contextlib.suppress(OSError):
                door.shutdown(socket.SHUT_RDWR)
            door.close()
        shutil.rmtree(_folder(self._address), ignore_errors=True)
        os.environ.setdefault("GRPC_FAIL_FAST", "use_caller")
        self._server = private.serve(
            tf.train.ServerDef(
                cluster=tf.train.ClusterSpec({self._job: {self._index: self._address}}).as_cluster_def(),
                job_name=self._job,
                task_index=self._index,
                protocol="grpc",
            )
        )

    def _open(self) -> None:
        """A port that shows that the task is alive, and says what it does; nothing is asked there."""
        door = self._door = socket.socket()
        door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        door.bind(("", split(self._address)[1]))
        door.listen(64)

        def answer() -> None:
            while self._door is door:
                with contextlib.suppress(OSError):
                    asking = door.accept()[0]
                    with asking:
                        asking.sendall(self.says)

        threading.Thread(target=answer, daemon=True, name="alive").start()

    def until_the_end(self) -> None:
        """Returns when the training has ended: a worker has ended well, and no worker is left, or will come.

        A worker that died has `RETURN` seconds to come back, one that never came has the time that tasks have to start.
        """
        alone_since: float | None = None
        while True:
            workers = self._workers or self._present()
            alive = {name for name, address in workers.items() if waiting.answers(address)}
            self._seen |= alive
            over = {name for name, worker in workers.items() if Path(marker(self._address, worker)).exists()}
            if alive or not over:
                alone_since = None
            else:
                alone_since = alone_since or time.monotonic()
                missing = set(workers) - over
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

    def _present(self) -> dict[str, str]:
        """The addresses of those who have said that they use this server."""
        files = Path(_folder(self._address)).glob("*.here")
        addresses = [file.read_text(encoding="utf-8") for file in files]
        return {address: address for address in addresses if address and address != self._address}

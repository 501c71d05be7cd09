"""A task's server, and how a task that keeps variables finds out that the training has ended.

TF1's parameter servers ran until someone killed them. Here each worker writes a small file on the
parameter server's machine when it ends without an error; whether its address accepts connections
shows whether it is alive.

A worker has only a status port, called its door, which answers with the task's state. It becomes a
server if other tasks use its operations or resources (in-graph replication).
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
from tf2towers.runtime.patches import servers

#: seconds that a dead worker has to come back, after another worker has ended without an error
RETURN = 10.0

#: Answers of a door: the task has run nothing yet; it runs its own operations only; it will run
#: those of other tasks.
UNDECIDED, ALONE, WILLING = b"tf2towers: undecided\n", b"tf2towers: alone\n", b"tf2towers: willing\n"
#: States of a task without a door: it does not answer, or it is a server.
SILENT, SERVING = b"", b"serving"


def state_of(address: str) -> bytes:
    """The current state of the task at an address."""
    try:
        with socket.create_connection(split(address), timeout=2) as door:
            with contextlib.suppress(TimeoutError):
                door.settimeout(1)
                answer = door.recv(64)
                return answer if answer in (UNDECIDED, ALONE, WILLING) else SERVING if answer else SILENT
            return SERVING
    except OSError:
        return SILENT


def _folder(server: str) -> str:
    return f"/tmp/tf2towers-{re.sub(r'[^0-9A-Za-z.]', '-', server)}"


def marker(server: str, worker: str) -> str:
    """The file that a worker writes for a parameter server when it ends without an error."""
    return f"{_folder(server)}/{re.sub(r'[^0-9A-Za-z.]', '-', worker)}.over"


def present(server: str, client: str) -> str:
    """The file that a task writes for a server that it uses (both given by address)."""
    return f"{_folder(server)}/{re.sub(r'[^0-9A-Za-z.]', '-', client)}.here"


def ended_well() -> bool:
    """True if this process, which is about to end, ends without an error."""
    return getattr(sys, "last_value", None) is None


def leave_at_once() -> None:
    """Ends this process without TensorFlow's cleanup, which would wait for a dead task for ever."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0 if ended_well() else 1)


class Serving:
    """A task's server: TensorFlow's for one that keeps variables, a door for a worker.

    Args:
        spec: the cluster.
        job: the job of this task.
        index: the index of this task in its job.
        serves: whether this task keeps variables.
        workers: name of a worker -> its address; if empty, the tasks that have written their file
            here.
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
        """Makes this task a server, if it is not one yet."""
        if self._server is not None:
            return
        if self._door is not None:
            door, self._door = self._door, None
            with contextlib.suppress(OSError):
                door.shutdown(socket.SHUT_RDWR)
            door.close()
        shutil.rmtree(_folder(self._address), ignore_errors=True)
        os.environ.setdefault("GRPC_FAIL_FAST", "use_caller")
        self._server = servers.serve(
            tf.train.ServerDef(
                cluster=tf.train.ClusterSpec({self._job: {self._index: self._address}}).as_cluster_def(),
                job_name=self._job,
                task_index=self._index,
                protocol="grpc",
            )
        )

    def _open(self) -> None:
        """Opens a port that shows that the task is alive, and sends its state to each client."""
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
        """Waits for the end of the training: a worker has ended well, and no other is expected.

        A dead worker has `RETURN` seconds to come back; one that was never seen has the time limit
        for a task's start.
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
        """The addresses of the tasks that have written a file here, since they use this server."""
        files = Path(_folder(self._address)).glob("*.here")
        addresses = [file.read_text(encoding="utf-8") for file in files]
        return {address: address for address in addresses if address and address != self._address}

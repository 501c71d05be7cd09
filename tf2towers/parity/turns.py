"""A serialised schedule: one worker's step at a time, in the order 0, 1, .., 0, 1, ..; who has ended is left out.

The order of asynchronous updates changes their result, so two runs can be compared only where it is fixed.
"""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator

VARIABLE = "TF2TOWERS_TURNS"
_GO, _DONE = b"g", b"d"


class Turnstile:
    """Gives the turns, in the process that starts the workers.

    Args:
        workers: how many there are. Nobody's turn is over before worker 0 has had one.
    """

    def __init__(self, workers: int) -> None:
        self._server = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._server.getsockname()[1]}"
        self._there: dict[int, socket.socket] = {}
        self._arrived = threading.Condition()
        self._closed = False
        threading.Thread(target=self._admit, daemon=True).start()
        threading.Thread(target=self._give, args=(workers,), daemon=True).start()

    def _admit(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._server.accept()
                worker = int(connection.makefile("r").readline())
                with self._arrived:
                    self._there[worker] = connection
                    self._arrived.notify_all()

    def _give(self, workers: int) -> None:
        waiting = list(range(workers))
        while waiting:
            for worker in list(waiting):
                with self._arrived:
                    self._arrived.wait_for(lambda worker=worker: self._closed or worker in self._there)  # type: ignore[misc]
                if self._closed:
                    return
                try:
                    self._there[worker].sendall(_GO)
                    over = self._there[worker].recv(1) != _DONE
                except OSError:
                    over = True
                if over:
                    waiting.remove(worker)

    def close(self) -> None:
        """Ends it; workers that wait for a turn get an error."""
        with self._arrived:
            self._closed = True
            self._arrived.notify_all()
        self._server.close()
        for connection in self._there.values():
            connection.close()


class Turns:
    """A worker's side of it: `with turns.turn(): ...` around each step.

    Args:
        address: host:port of the turnstile.
        worker: this worker's index.
    """

    def __init__(self, address: str, worker: int) -> None:
        host, _, port = address.rpartition(":")
        self._connection = socket.create_connection((host, int(port)))
        self._connection.sendall(f"{worker}\n".encode())

    @contextlib.contextmanager
    def turn(self) -> Iterator[None]:
        """One turn of this worker; an error in it ends no turn but the worker.

        Raises:
            ConnectionError: the turnstile has gone.
        """
        self.begin()
        yield
        self.end()

    def begin(self) -> None:
        """Waits for this worker's turn."""
        if self._connection.recv(1) != _GO:
            raise ConnectionError("the turnstile has gone")

    def end(self) -> None:
        """Passes it on."""
        self._connection.sendall(_DONE)

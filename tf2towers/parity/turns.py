"""A serialised schedule: one worker's step at a time, in the order 0, 1, .., 0, 1, ..; who has ended is left out.

The order of asynchronous updates changes their result, so two runs can be compared only where it is fixed. A round
begins when all workers are there for it: of synchronous ones, each then has the token of the round before, and none
can take another's (the tokens are alike, and a fast worker would make a slow one's step in its place).
"""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator

VARIABLE = "TF2TOWERS_TURNS"
_HERE, _GO, _DONE = b"h", b"g", b"d"


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
            waiting = [worker for worker in waiting if self._is_here(worker)]
            if self._closed:
                return
            waiting = [worker for worker in waiting if self._has_had_its_turn(worker)]

    def _is_here(self, worker: int) -> bool:
        """Waits for it to ask for its turn; not, if it has ended."""
        with self._arrived:
            self._arrived.wait_for(lambda: self._closed or worker in self._there)
        with contextlib.suppress(OSError):
            return not self._closed and self._there[worker].recv(1) == _HERE
        return False

    def _has_had_its_turn(self, worker: int) -> bool:
        with contextlib.suppress(OSError):
            self._there[worker].sendall(_GO)
            return self._there[worker].recv(1) == _DONE
        return False

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
        self._connection.sendall(_HERE)
        if self._connection.recv(1) != _GO:
            raise ConnectionError("the turnstile has gone")

    def end(self) -> None:
        """Passes it on."""
        self._connection.sendall(_DONE)

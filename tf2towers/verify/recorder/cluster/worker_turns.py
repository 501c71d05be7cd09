"""A worker's side of a serialised schedule, which the process that starts the workers gives (`parity.cluster`)."""

import contextlib
import socket
from typing import Iterator

HERE, GO, DONE, AFTER_CHIEF = b"h", b"g", b"d", b"c"


class Turns(object):
    """`with turns.turn(): ...` around each step.

    Args:
        address: host:port of the turnstile.
    """

    def __init__(self, address: str, worker: int) -> None:
        host, _, port = address.rpartition(":")
        self._connection = socket.create_connection((host, int(port)))
        self._connection.sendall(("%d\n" % worker).encode())

    @contextlib.contextmanager
    def turn(self) -> Iterator[None]:
        """One turn of this worker; an error ends it too, for the script may catch it: an iterator's end, say.

        Raises:
            ConnectionError: the turnstile has gone.
        """
        self.begin()
        try:
            yield
        except Exception:
            with contextlib.suppress(OSError):
                self.end()
            raise
        self.end()

    def begin(self) -> None:
        """Waits for this worker's turn."""
        self._wait(HERE)

    def wait_for_chief(self) -> None:
        """Waits until worker 0 has asked for its first turn. It is none itself."""
        self._wait(AFTER_CHIEF)

    def _wait(self, ask: bytes) -> None:
        self._connection.sendall(ask)
        if self._connection.recv(1) != GO:
            raise ConnectionError("the turnstile has gone")

    def end(self) -> None:
        """Passes it on."""
        self._connection.sendall(DONE)

"""A worker's side of a serialised schedule, which `tf2towers.verify.cluster` gives."""

import contextlib
import socket
import time
from typing import Any, Iterator

from .calls import Alone
from .variables import Effects
from .wrapping import wrap

_PAUSE = 0.25  # seconds between two readings of variables that may still change
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


class InTurns(Alone):
    """Asynchronous workers: from its first training call on, one worker's call at a time, with what is read after it.

    Synchronous workers: all begin a step together. When all have made it, and the chief its update, each reads.
    """

    def __init__(self, turns: Turns) -> None:
        self._turns = turns
        self._begun = False

    @contextlib.contextmanager
    def call(self, effects: Effects) -> Iterator[None]:
        """A turn of its own; of synchronous workers a moment at which all are there."""
        self._begun = self._begun or effects.training
        counts = effects.training if self.synchronous else self._begun and bool(effects.used)
        if not counts:
            yield
        elif self.synchronous:
            with self._turns.turn():
                pass
            yield
        else:
            with self._turns.turn():
                yield

    @contextlib.contextmanager
    def after(self, effects: Effects) -> Iterator[None]:
        """Of synchronous workers: all have made the step."""
        if self.synchronous and effects.training:
            with self._turns.turn():
                yield
        else:
            yield

    def is_settled(self) -> bool:
        """Synchronous: the chief's thread may not have made its update yet."""
        if self.synchronous:
            time.sleep(_PAUSE)
        return not self.synchronous


def look_for_the_chief(manager: Any, turns: Turns) -> None:
    """Lets workers that wait for the chief look every second whether it is ready, but only once it is about to train.

    TF1's look every 30 seconds, and so seldom come up between the chief's initialization and the start of its queues:
    a count of epochs on the parameter servers, which they share, would then be used up by one of them.
    """

    def begin(original: Any, *args: Any, **kwargs: Any) -> None:
        kwargs["recovery_wait_secs"] = 1
        original(*args, **kwargs)

    def wait(original: Any, *args: Any, **kwargs: Any) -> Any:
        turns.wait_for_chief()
        return original(*args, **kwargs)

    wrap(manager, "__init__", begin)
    wrap(manager, "wait_for_session", wait)

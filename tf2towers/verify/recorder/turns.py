"""A serial schedule of a cluster's steps: one worker at a time, in the order 0, 1, .., 0, 1, ..

The order of asynchronous updates changes their result, so two runs can be compared only with a fixed order. A round
begins when all workers wait for it. Each synchronous worker then has its token of the round before. Without this, a
fast worker could take a slow one's token and step in its place, because all tokens are equal.
"""

import contextlib
import fcntl
import io
import os
import time
from typing import Any, Dict, Iterator

from .calls import Alone
from .variables import Effects
from .wrapping import wrap

_PAUSE = 0.25  # seconds between two readings of variables that may still change
_LOOK = 0.002  # seconds between two checks of the other workers' files


class Turns(object):
    """`with turns.turn(): ...` around each step of a worker.

    Each worker's file grows by one byte when the worker requests a turn, and by another when the turn is over. The
    worker locks the file while it lives, so that the others stop waiting for a worker that has ended.

    Args:
        folder: the existing folder of the files.
        workers: the number of workers.
    """

    def __init__(self, folder: str, worker: int, workers: int) -> None:
        self._paths = [os.path.join(folder, "turns-%d" % place) for place in range(workers)]
        self._worker, self._made = worker, 0
        unlocked = self._paths[worker] + ".new"
        self._file = io.FileIO(unlocked, "a")
        fcntl.flock(self._file, fcntl.LOCK_EX)
        os.rename(unlocked, self._paths[worker])

    @contextlib.contextmanager
    def turn(self) -> Iterator[None]:
        """A context for one turn. An error ends the turn too: the script may catch it, as at an iterator's end."""
        asked = 2 * self._made + 1
        self._made += 1
        self._file.write(b".")
        others = [place for place in range(len(self._paths)) if place != self._worker]
        self._wait({place: asked + (place < self._worker) for place in others})
        try:
            yield
        finally:
            self._file.write(b".")

    def end(self) -> None:
        """Ends the worker's turns: the others no longer wait for it."""
        self._file.close()

    def wait_for_chief(self) -> None:
        """Waits until worker 0 has requested its first turn. This does not take a turn."""
        self._wait({0: 1})

    def _wait(self, counts: Dict[int, int]) -> None:
        while any(self._count(worker) < count for worker, count in counts.items()):
            time.sleep(_LOOK)

    def _count(self, worker: int) -> float:
        """The size of a worker's file, infinite once the worker has ended."""
        try:
            with open(self._paths[worker], "rb") as file:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except FileNotFoundError:
            return 0
        except OSError:
            return os.stat(self._paths[worker]).st_size
        return float("inf")


class InTurns(Alone):
    """The schedule of a worker: from its first training call on, one worker's call at a time, and the reading after it.

    Synchronous workers begin each step together. When all have made it, and the chief its update, each reads.
    """

    def __init__(self, turns: Turns) -> None:
        self._turns = turns
        self._begun = False

    @contextlib.contextmanager
    def call(self, effects: Effects) -> Iterator[None]:
        """A context with a turn of its own; for synchronous workers, waits until all are ready."""
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
        """A context after a synchronous step: waits until all workers have made it."""
        if self.synchronous and effects.training:
            with self._turns.turn():
                yield
        else:
            yield

    def is_settled(self) -> bool:
        """False for synchronous workers, after a pause: the chief's thread may not have made its update yet."""
        if self.synchronous:
            time.sleep(_PAUSE)
        return not self.synchronous


def poll_chief(manager: Any, turns: Turns) -> None:
    """Makes workers that wait for the chief check it every second, but only once it is about to train.

    TF1's check every 30 seconds, so they seldom run between the chief's initialization and the start of its queues. In
    that time, one worker could use up a count of epochs that all share on the parameter servers.
    """

    def begin(original: Any, *args: Any, **kwargs: Any) -> None:
        kwargs["recovery_wait_secs"] = 1
        original(*args, **kwargs)

    def wait(original: Any, *args: Any, **kwargs: Any) -> Any:
        turns.wait_for_chief()
        return original(*args, **kwargs)

    wrap(manager, "__init__", begin)
    wrap(manager, "wait_for_session", wait)

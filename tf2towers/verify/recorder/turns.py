"""A serialised schedule of a cluster: one worker's step at a time, in the order 0, 1, .., 0, 1, ..

The order of asynchronous updates changes their result, so two runs can be compared only where it is fixed. A round
begins when all workers are there for it. Of synchronous ones, each then has the token of the round before. None can
take another's: the tokens are alike, and a fast worker would make a slow one's step in its place.
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
_LOOK = 0.002  # seconds between two looks at the others' files


class Turns(object):
    """`with turns.turn(): ...` around each step.

    A file of each worker grows by a byte when it asks for a turn, and when that is over. It is locked while the worker
    lives: who has ended is left out.

    Args:
        folder: of the files; it is there.
        workers: how many there are.
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
        """One turn of this worker; an error ends it too, for the script may catch it: an iterator's end, say."""
        asked = 2 * self._made + 1
        self._made += 1
        self._file.write(b".")
        others = [place for place in range(len(self._paths)) if place != self._worker]
        self._wait({place: asked + (place < self._worker) for place in others})
        try:
            yield
        finally:
            self._file.write(b".")

    def wait_for_chief(self) -> None:
        """Waits until worker 0 has asked for its first turn. It is none itself."""
        self._wait({0: 1})

    def _wait(self, counts: Dict[int, int]) -> None:
        while any(self._count(worker) < count for worker, count in counts.items()):
            time.sleep(_LOOK)

    def _count(self, worker: int) -> float:
        """How often a worker's file has grown."""
        try:
            with open(self._paths[worker], "rb") as file:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except FileNotFoundError:
            return 0
        except OSError:
            return os.stat(self._paths[worker]).st_size
        return float("inf")


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

"""A serial schedule of a cluster's steps: one worker at a time, in the order 0, 1, .., 0, 1, ..

The order of asynchronous updates changes their result, so two runs can be compared only with a fixed order. A round
begins when all workers wait for it. What a call does while it waits for another worker's is in `tokens`, for
`SyncReplicasOptimizer`. Workers that share accumulators by hand (`shared_gradients`) begin each step together.
"""

import contextlib
import fcntl
import io
import os
import threading
import time
from typing import Any, Dict, Iterator

from ..variables import Effects
from ..wrapping import wrap
from .recording import Alone

_PAUSE = 0.25  # seconds between two readings of variables that may still change
LOOK = 0.002  # seconds between two checks of the other workers' files
_LONGEST_QUESTION = 30.0  # seconds for which an answer is held back: the chief may wait for this worker
_PATIENCE = 5.0  # seconds after which a call that may wait for another worker counts as waiting


class Turns(object):
    """`with turns.turn(): ...` around each step of a worker.

    Each worker's file grows by one byte when the worker requests a turn, and by another when the turn is over. The
    worker locks the file while it lives, so that the others stop waiting for a worker that has ended.

    Args:
        folder: the existing folder of the files.
        workers: the number of workers.
    """

    def __init__(self, folder: str, worker: int, workers: int) -> None:
        self.workers = workers
        self._paths = [os.path.join(folder, "turns-%d" % place) for place in range(workers)]
        self._folder, self._worker, self._made = folder, worker, 0
        unlocked = self._paths[worker] + ".new"
        self._file = io.FileIO(unlocked, "a")
        fcntl.flock(self._file, fcntl.LOCK_EX)
        os.rename(unlocked, self._paths[worker])

    @contextlib.contextmanager
    def turn(self) -> Iterator[None]:
        """A context for one turn. An error ends the turn too: the script may catch it, as at an iterator's end."""
        self._begin()
        try:
            yield
        finally:
            self._file.write(b".")

    def pass_on(self) -> None:
        """In a turn: gives it to the next worker, and returns when it is back."""
        self.note("passed")
        self._file.write(b".")
        self._begin()

    def _begin(self) -> None:
        asked = 2 * self._made + 1
        self._made += 1
        self._file.write(b".")
        others = [place for place in range(len(self._paths)) if place != self._worker]
        self._wait({place: asked + (place < self._worker) for place in others})

    def made_by_all(self) -> int:
        """How many turns all workers have made, without those that they have passed on."""
        return sum(os.stat(path).st_size // 2 for path in self._paths if os.path.exists(path)) - self.total(
            "passed"
        )

    def note(self, event: str, times: int = 1) -> None:
        """Notes an event of this worker, such as the chief's update for all."""
        with open(self._path_of(event, self._worker), "ab", buffering=0) as file:
            file.write(b"." * times)

    def total(self, event: str) -> int:
        """How often all workers have noted an event."""
        return sum(self._count_of(event, worker) for worker in range(len(self._paths)))

    def is_next(self, event: str) -> bool:
        """True if every worker before this one has noted an event once more than this one, or has ended."""
        own = self._count_of(event, self._worker)
        return all(
            self._count_of(event, worker) > own or self._count(worker) == float("inf")
            for worker in range(self._worker)
        )

    def _count_of(self, event: str, worker: int) -> int:
        path = self._path_of(event, worker)
        return os.stat(path).st_size if os.path.exists(path) else 0

    def _path_of(self, event: str, worker: int) -> str:
        return os.path.join(self._folder, "%s-%d" % (event, worker))

    def end(self) -> None:
        """Ends the worker's turns: the others no longer wait for it."""
        self._file.close()

    def others_have_ended(self) -> bool:
        """True if every other worker has ended."""
        return all(
            self._count(place) == float("inf") for place in range(self.workers) if place != self._worker
        )

    def wait_for_chief(self, longest: float = float("inf")) -> None:
        """Waits until worker 0 is about to train, or to meet others, or has ended; it does not wait for itself."""
        end = time.monotonic() + longest
        while self._worker and not self._count_of("begins", 0) and self._count(0) < float("inf"):
            if time.monotonic() > end:
                break
            time.sleep(LOOK)

    def _wait(self, counts: Dict[int, int]) -> None:
        began = time.monotonic()
        while any(self._count(worker) < count for worker, count in counts.items()):
            time.sleep(LOOK if time.monotonic() - began < 1 else 10 * LOOK)

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

    Workers that share accumulators by hand begin each step together. When all have made it, each reads.

    Args:
        sync: the `tokens.SyncReplicas` of the process.
    """

    def __init__(self, turns: Turns, sync: Any) -> None:
        self._turns, self._sync = turns, sync
        self._begun = False
        self._patience = _PATIENCE

    @contextlib.contextmanager
    def call(self, effects: Effects) -> Iterator[None]:
        """A context with a turn of its own; where workers share by hand, waits until all are ready.

        A call that waits for another worker's gives way: at once at a barrier that workers build from queues, else
        after some seconds. A worker that asks until the chief has initialized the variables asks once.
        """
        if effects.asks and not self._begun:
            self._turns.wait_for_chief(_LONGEST_QUESTION)
        if not self._begun and (effects.training or effects.adds or effects.meets):
            self._begun = True
            self._turns.note("begins")
        has_tokens = self._sync.bind(effects, self._turns)
        if not (self.is_step(effects) if self.shared is not None else self._begun and effects.used):
            with self._giving_way(False) if effects.meets and self.shared is None else contextlib.ExitStack():
                yield
        elif self.shared is not None:
            with self._turns.turn():
                pass
            yield
        elif has_tokens or not effects.meets:
            with self._turns.turn():
                yield
        elif effects.training or effects.adds:
            with self._turns.turn(), self._giving_way(True):
                yield
        else:
            with self._turns.turn():
                pass
            with self._giving_way(False):
                yield

    @contextlib.contextmanager
    def _giving_way(self, has_turn: bool) -> Iterator[None]:
        """A context for a call that may wait for another worker: the others have their turns meanwhile."""
        is_over = threading.Event()

        def give_way() -> None:
            while not is_over.wait(self._patience):
                self._patience = _PAUSE
                if has_turn:
                    self._turns.pass_on()
                    continue
                with self._turns.turn():
                    pass

        thread = threading.Thread(target=give_way, daemon=True)
        thread.start()
        try:
            yield
        finally:
            is_over.set()
            thread.join()

    @contextlib.contextmanager
    def after(self, effects: Effects) -> Iterator[None]:
        """A context after a step of workers that share by hand: waits until all workers have made it."""
        if self.shared is not None and self.is_step(effects):
            self.shared.note_end()
            with self._turns.turn():
                yield
        else:
            yield

    @contextlib.contextmanager
    def update(self, effects: Effects, session: Any) -> Iterator[None]:
        """A context for a call of another thread: the chief's update for all begins when it is due."""
        with self._sync.update(effects, self._turns, session):
            yield

    def is_settled(self) -> bool:
        """False where workers share by hand, after a pause: the chief may not have made its update yet."""
        if self.shared is not None:
            time.sleep(_PAUSE)
        return self.shared is None


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

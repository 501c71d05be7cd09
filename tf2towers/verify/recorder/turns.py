"""A serial schedule of a cluster's steps: one worker at a time, in the order 0, 1, .., 0, 1, ..

The order of asynchronous updates changes their result, so two runs can be compared only with a fixed order. A round
begins when all workers wait for it. Each synchronous worker then has its token of the round before. Without this, a
fast worker could take a slow one's token and step in its place, because all tokens are equal.

A token of `SyncReplicasOptimizer` may be older than the update of its step. What a worker's step does after it (moving
averages, reads) races with the chief's update and with the other workers. So each worker waits when it has its token:
until all have theirs and the chief has made this round's update, then for the calls of the workers before it.
"""

import contextlib
import fcntl
import io
import os
import time
from typing import Any, Dict, Iterator

from . import graph as graphs
from .calls import Alone
from .variables import Effects
from .wrapping import wrap

_PAUSE = 0.25  # seconds between two readings of variables that may still change
LOOK = 0.002  # seconds between two checks of the other workers' files
LONGEST_UPDATE = (
    30.0  # seconds after which a step no longer waits for updates of the chief: they come otherwise
)


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
        self._folder, self._worker, self._made = folder, worker, 0
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

    def is_first(self) -> bool:
        """True if every worker before this one has requested its next turn, or has ended."""
        return all(self._count(place) > 2 * self._made for place in range(self._worker))

    def note(self, event: str) -> None:
        """Notes an event of this worker, such as the chief's update for all."""
        with open(self._path_of(event, self._worker), "ab", buffering=0) as file:
            file.write(b".")

    def noted(self, event: str, worker: int) -> float:
        """How often a worker has noted an event; infinite once it has ended."""
        return float("inf") if self._count(worker) == float("inf") else self._count_of(event, worker)

    def all_noted(self, event: str) -> bool:
        """True if every other worker has noted an event as often as this one."""
        own = self._count_of(event, self._worker)
        return all(self.noted(event, worker) >= own for worker in range(len(self._paths)))

    def is_next(self, event: str) -> bool:
        """True if every worker before this one has noted an event once more than this one, or has ended."""
        own = self._count_of(event, self._worker)
        return all(self.noted(event, worker) > own for worker in range(self._worker))

    def _count_of(self, event: str, worker: int) -> int:
        path = self._path_of(event, worker)
        return os.stat(path).st_size if os.path.exists(path) else 0

    def _path_of(self, event: str, worker: int) -> str:
        return os.path.join(self._folder, "%s-%d" % (event, worker))

    def end(self) -> None:
        """Ends the worker's turns: the others no longer wait for it."""
        self._file.close()

    def wait_for_chief(self) -> None:
        """Waits until worker 0 has requested its first turn. This does not take a turn."""
        self._wait({0: 1})

    def _wait(self, counts: Dict[int, int]) -> None:
        while any(self._count(worker) < count for worker, count in counts.items()):
            time.sleep(LOOK)

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

    Attributes:
        counts_updates: whether the rounds that end with an update of the chief are known: all workers are alike.
    """

    def __init__(self, turns: Turns) -> None:
        self._turns = turns
        self._begun = False
        self._in_step = False
        self._updates = 0
        self._first_step = None  # type: Any
        self.counts_updates = False

    @contextlib.contextmanager
    def call(self, effects: Effects) -> Iterator[None]:
        """A context with a turn of its own; for synchronous workers, waits until all are ready.

        At a barrier that workers build from queues, a call waits for the others: its turn is over when it begins.
        """
        self._begun = self._begun or effects.training
        if not (self.is_step(effects) if self.synchronous else self._begun and effects.used):
            yield
        elif self.synchronous:
            with self._turns.turn():
                pass
            self._in_step = True
            try:
                yield
            finally:
                self._in_step = False
        elif effects.meets and not effects.training:
            with self._turns.turn():
                pass
            yield
        else:
            with self._turns.turn():
                yield

    @contextlib.contextmanager
    def after(self, effects: Effects) -> Iterator[None]:
        """A context after a synchronous step: waits until all workers have made it."""
        if self.synchronous and self.is_step(effects):
            self._in_step = False
            if self.shared is not None:
                self.shared.note_end()
            with self._turns.turn():
                yield
        else:
            yield

    def has_updated(self) -> None:
        """Notes that a thread of this worker, the chief, has made an update for all."""
        self._turns.note("updates")

    def pass_token(self, token: Any, local_step: Any) -> Any:
        """Returns the token of a synchronous step when the rest of the step may run.

        Args:
            local_step: the worker's own step before this one. Where it is less than the updates so far, as in the
                second round after tokens at the start, TensorFlow drops the gradients of all workers as stale.
        """
        if self._in_step and self.counts_updates:
            self._first_step = local_step if self._first_step is None else self._first_step
            self._updates += bool(local_step - self._first_step >= self._updates)
            self._turns.note("tokens")
            end = time.monotonic() + LONGEST_UPDATE
            while self.counts_updates and not (
                self._turns.all_noted("tokens") and self._turns.noted("updates", 0) >= self._updates
            ):
                time.sleep(LOOK)
                self.counts_updates = time.monotonic() < end
        while self._in_step and not self._turns.is_first():
            time.sleep(LOOK)
        return token

    def is_settled(self) -> bool:
        """False for synchronous workers, after a pause: the chief's thread may not have made its update yet."""
        if self.synchronous and not self.counts_updates:
            time.sleep(_PAUSE)
        return not self.synchronous or self.counts_updates


def hold_tokens(tf: Any, schedule: InTurns, workers: int) -> None:
    """From now on, a step of a `SyncReplicasOptimizer` continues after its token when `schedule.pass_token` returns.

    Call it before the optimizers are watched.
    """

    def apply_gradients(apply: Any, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        op = apply(optimizer, *args, **kwargs)
        assign = getattr(op, "op", op)
        graph, token = assign.graph, assign.inputs[1]
        with graphs.beside(graph), graph.device(optimizer._local_step.device):
            local_step = tf.convert_to_tensor(optimizer._local_step)
            passed = tf.py_func(schedule.pass_token, [token, local_step], token.dtype)
            passed.set_shape(token.shape)
        assign._update_input(1, passed)
        alike = optimizer._replicas_to_aggregate, optimizer._total_num_replicas
        schedule.counts_updates = alike == (workers, workers)
        return op

    wrap(tf.train.SyncReplicasOptimizer, "apply_gradients", apply_gradients)


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

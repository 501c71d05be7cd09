"""Reports each training step of this process, and its memory: on its standard output, a line each.

A line begins with MARK; the rest of it is one JSON object. All other lines are the script's.

    {"event": "step", "steps": 1, "begin": 12.5, "end": 12.6, "loss": 2.3, "peak": ..}
    {"event": "step", "together": 2, ..}             an update that 2 workers make together: each reports it
    {"event": "facts", "python": "3.7.5", "tensorflow": "1.15.5", "towers": 2}
    {"event": "note", "text": "a sentence for the reader"}
    {"event": "resumed", "step": 200}                the first step is not of the training: a checkpoint was read
    {"event": "aside", "seconds": 0.1}               of what only a watched process does: off the clock
    {"event": "memory", "peak": ..}

Times are `time.monotonic()`, one clock for all processes of the machine. `loss` may be null.
"""

import contextlib
import json
import os
import resource
import sys
import threading
import time
from typing import Any, Callable, Iterator, Optional

MARK = "tf2towers-watch "
Loss = Callable[[], Optional[float]]
clock = time.monotonic
_EVERY = 0.5  # seconds; a task of a cluster may make no step, as a parameter server: it reports its memory all the same


def peak_memory() -> int:
    """Resident bytes at most."""
    unit = 1 if sys.platform == "darwin" else 1024  # getrusage(2)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


class Steps:
    """Counts steps and reports them.

    A step's loss is read when the next step is over. Reading it at once would make the program wait for a device where
    it does not wait by itself. In a cluster, steps may end in several threads.

    Args:
        in_cluster: this process is a task of a cluster.
    """

    def __init__(self, in_cluster: bool) -> None:
        self.in_cluster = in_cluster
        self._descriptor = os.dup(1)  # the script may redirect its own
        self._waiting = None  # type: Any
        self._towers = 0
        self._noted = set()  # type: set[str]
        self._lock = threading.RLock()
        if in_cluster:
            threading.Thread(target=self._report_memory, name="tf2towers-memory", daemon=True).start()

    def write(self, event: str, **entries: Any) -> None:
        """Writes a line. Where nobody reads any more, nothing."""
        line = "\n%s%s\n" % (MARK, json.dumps(dict(entries, event=event)))
        with contextlib.suppress(OSError):
            os.write(self._descriptor, line.encode("ascii"))

    def _report_memory(self) -> None:
        wait = threading.Event().wait
        while True:
            self.write("memory", peak=peak_memory())
            wait(_EVERY)

    def step(
        self,
        begin: float,
        end: float,
        loss: Loss,
        steps: int = 1,
        at_once: bool = False,
        together: Optional[int] = None,
    ) -> None:
        """One call that trained.

        Args:
            begin, end: when it began and returned, by `clock`.
            loss: gives the loss, a scalar, or None.
            steps: how many training steps it made.
            at_once: the loss costs nothing.
            together: of how many workers of a cluster the step is, which all report it; None: of this one.
        """
        entries = {"begin": begin, "end": end, "steps": steps, "peak": peak_memory()}
        if together is not None:
            entries["together"] = together
        with self._lock:
            self.end()
            self._waiting = entries, loss
            if at_once:
                self.end()

    def end(self) -> None:
        """Reports the last step, which waits for its loss."""
        with self._lock:
            if self._waiting is not None:
                (entries, loss), self._waiting = self._waiting, None
                self.write("step", loss=self.harmless(loss), **entries)

    @contextlib.contextmanager
    def aside(self) -> Iterator[None]:
        """In here the process does what only a watched one does."""
        begin = clock()
        try:
            yield
        finally:
            self.write("aside", seconds=clock() - begin)

    def begins_after(self, made: int) -> None:
        """The first step is about to be made; so many were made before it, by an earlier run."""
        if made:
            self.write("resumed", step=made)

    def towers(self, number: int) -> None:
        """How many towers or replicas a step has."""
        if number != self._towers:
            self._towers = number
            self.write("facts", towers=number)

    def harmless(self, watch: Callable[..., Any], *args: Any) -> Any:
        """What `watch(*args)` gives; None where it fails: a failure is noted once, and the script goes on."""
        try:
            return watch(*args)
        except Exception as problem:
            text = "not all could be watched: %s: %s" % (type(problem).__name__, problem)
            if text not in self._noted:
                self._noted.add(text)
                # what several processes write to one pipe is kept apart up to 4096
                self.write("note", text=text[:2000])
            return None

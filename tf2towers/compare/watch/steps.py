"""Reports each training step of this process, and its memory, in one line each.

A reported line is MARK and one JSON object. All other lines are the script's.

    {"event": "step", "steps": 1, "begin": 12.5, "end": 12.6, "loss": 2.3, "peak": ..}
    {"event": "step", "together": 2, ..}             2 workers make this update together, and both report it
    {"event": "facts", "python": "3.7.5", "tensorflow": "1.15.5", "towers": 2}
    {"event": "note", "text": "a sentence for the reader"}
    {"event": "resumed", "step": 200}                a checkpoint was restored: 200 steps were made before
    {"event": "aside", "seconds": 0.1}               time that only watching takes: not counted
    {"event": "memory", "peak": ..}

Times are `time.monotonic()`, which all processes of the machine share. `loss` may be null.
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
_EVERY = 0.5  # seconds between reports of memory; a task without steps, as a parameter server, reports its memory too


def peak_memory() -> int:
    """The largest resident memory so far, in bytes."""
    unit = 1 if sys.platform == "darwin" else 1024  # getrusage(2)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


class Steps:
    """Counts steps and reports them.

    A step's loss is read when the next step is over. Reading it at once would make the program wait
    for a device where it otherwise does not. In a cluster, steps may end in several threads.

    Args:
        in_cluster: whether this process is a task of a cluster.
    """

    def __init__(self, in_cluster: bool) -> None:
        self.in_cluster = in_cluster
        self._descriptor = os.dup(1)  # the script may redirect its standard output
        self._waiting = None  # type: Any
        self._towers = 0
        self._noted = set()  # type: set[str]
        self._lock = threading.RLock()
        if in_cluster:
            threading.Thread(target=self._report_memory, name="tf2towers-memory", daemon=True).start()

    def write(self, event: str, **entries: Any) -> None:
        """Writes one report; without effect when nobody reads the output any longer."""
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
        """Reports one call that trained.

        Args:
            begin, end: when the call began and returned, by `clock`.
            loss: returns the loss, a number or None.
            steps: the number of training steps that the call made.
            at_once: whether the loss is read now, because it needs no waiting.
            together: the number of workers that make the step together and all report it; None:
                this one alone.
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
        """Reports the last step, whose loss was not read yet."""
        with self._lock:
            if self._waiting is not None:
                (entries, loss), self._waiting = self._waiting, None
                self.write("step", loss=self.try_call(loss), **entries)

    @contextlib.contextmanager
    def aside(self) -> Iterator[None]:
        """A context for work that only a watched process does; reports its time."""
        begin = clock()
        try:
            yield
        finally:
            self.write("aside", seconds=clock() - begin)

    def note_resumed(self, made: int) -> None:
        """Called before the first step: reports the number of steps that an earlier run made."""
        if made:
            self.write("resumed", step=made)

    def towers(self, number: int) -> None:
        """Reports the number of towers or replicas of a step, where it changes."""
        if number != self._towers:
            self._towers = number
            self.write("facts", towers=number)

    def try_call(self, watch: Callable[..., Any], *args: Any) -> Any:
        """What `watch(*args)` returns, or None after an exception, which is noted once."""
        try:
            return watch(*args)
        except Exception as problem:
            text = "some steps could not be watched: %s: %s" % (type(problem).__name__, problem)
            if text not in self._noted:
                self._noted.add(text)
                # writes of several processes to one pipe do not mix up to 4096 bytes
                self.write("note", text=text[:2000])
            return None

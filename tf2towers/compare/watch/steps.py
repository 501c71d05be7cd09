"""Tells of each training step, and of memory."""

import contextlib
import sys
import threading
import time
from typing import Any, Callable, Iterator, Optional, Tuple

from tf2towers.compare.watch.lines import Lines

Loss = Callable[[], Optional[float]]

clock = time.monotonic
_LONGEST = 2000  # of a note: what several processes write to one pipe is kept apart up to 4096 bytes


# -- how much memory this process holds, and held at most --------------------------------------------------------------


def memory() -> Tuple[Optional[int], Optional[int]]:
    """Resident bytes now and at most: VmRSS and VmHWM of /proc/self/status; elsewhere the peak alone.

    Source of the units: proc(5), kB there are KiB; getrusage(2), ru_maxrss is in KiB, on macOS in bytes.
    """
    found = {}
    try:
        with open("/proc/self/status", "rb") as status:
            for line in status:
                if line.startswith((b"VmRSS:", b"VmHWM:")):
                    found[line[:5]] = int(line.split()[1]) * 1024
        return found.get(b"VmRSS"), found.get(b"VmHWM")
    except OSError:
        pass
    try:
        import resource
    except ImportError:  # not a POSIX system
        return None, None
    unit = 1 if sys.platform == "darwin" else 1024
    return None, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


# -- the steps ---------------------------------------------------------------------------------------------------------


class Steps:
    """Counts steps and reports them.

    A step's loss is read when the next step is over. Reading it at once would make the program wait for a device where
    it does not wait by itself. In a cluster, steps may end in several threads.

    Attributes:
        write: writes a line; see `lines` for those that there are.
    """

    def __init__(self, lines: Lines) -> None:
        self._task = lines.task
        self.write = lines.write
        self._waiting = None  # type: Optional[tuple[dict[str, Any], Loss]]
        self._towers = 0
        self._noted = set()  # type: set[str]
        self._lock = threading.RLock()

    def step(
        self,
        begin: float,
        end: float,
        loss: Loss,
        examples: Optional[int],
        steps: int = 1,
        at_once: bool = False,
        together: Optional[int] = None,
    ) -> None:
        """One call that trained.

        Args:
            begin: when it began, by `clock`.
            end: when it returned.
            loss: gives the loss, a scalar, or None.
            examples: rows of the whole batch, of one step; None: not known.
            steps: how many training steps it made.
            at_once: the loss costs nothing.
            together: of how many workers of a cluster the step is, which all report it; None: of this one.
        """
        now, peak = memory()
        entries = {
            "begin": begin,
            "end": end,
            "examples": examples,
            "steps": steps,
            "memory": now,
            "peak": peak,
        }
        if together is not None:
            entries["together"] = together
        with self._lock:
            self._flush()
            self._waiting = entries, loss
            if at_once:
                self._flush()

    def _flush(self) -> None:
        if self._waiting is not None:
            entries, loss = self._waiting
            self._waiting = None
            self.write("step", loss=self.harmless(loss), **entries)

    def memory(self) -> None:
        """How much memory the process holds, when it makes no steps to say so with."""
        now, peak = memory()
        self.write("memory", memory=now, peak=peak)

    @property
    def in_cluster(self) -> bool:
        """Whether this process is a task of a cluster."""
        return self._task is not None

    @contextlib.contextmanager
    def aside(self) -> Iterator[None]:
        """In here the process does what only a watched one does."""
        begin = clock()
        try:
            yield
        finally:
            self.write("aside", begin=begin, end=clock())

    def towers(self, number: int) -> None:
        """How many towers or replicas a step has."""
        if number != self._towers:
            self._towers = number
            self.write("facts", towers=number)

    def note(self, text: str) -> None:
        """A sentence for the reader, written once."""
        if text not in self._noted:
            self._noted.add(text)
            self.write("note", text=text[:_LONGEST])

    def harmless(self, watch: Callable[..., Any], *args: Any) -> Any:
        """What `watch(*args)` gives; None where it fails: a failure is noted, and the script goes on."""
        try:
            return watch(*args)
        except Exception as problem:
            self.note("not all could be watched: %s: %s" % (type(problem).__name__, problem))
            return None

    def end(self) -> None:
        """Reports the last step, when the script is over."""
        with self._lock:
            self._flush()


# -- a task of a cluster that may make no step, as a parameter server: it reports its memory all the same -------------

_EVERY = 0.5  # seconds


def report_memory(steps: Steps) -> None:
    """Now and then, from now on, in a thread that the process does not wait for. Nothing outside a cluster."""
    if not steps.in_cluster:
        return
    wait = threading.Event().wait

    def report() -> None:
        while True:
            steps.harmless(steps.memory)
            wait(_EVERY)

    threading.Thread(target=report, name="tf2towers-memory", daemon=True).start()

"""Work on many items, in several processes, which end with this one, however it ends; and how far it is."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

Given = TypeVar("Given")
Got = TypeVar("Got")

#: as many items go to a process at once at most
_CHUNK = 8


def map_in_processes(
    work: Callable[[Given], Got], items: Sequence[Given], jobs: int, lost: Callable[[Given], Got]
) -> Iterator[Got]:
    """`map(work, items)` in so many processes; the order is that of the items.

    Where a process is killed (memory, say) `lost` gives the results of the items that are left.
    """
    if jobs < 2 or len(items) < 2:
        yield from map(work, items)
        return
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    done, chunk = 0, max(1, min(_CHUNK, len(items) // (jobs * 4)))
    workers = min(jobs, len(items))
    with ProcessPoolExecutor(workers, initializer=_start_process, initargs=(os.getpid(),)) as pool:
        try:
            for result in pool.map(work, items, chunksize=chunk):
                done += 1
                yield result
        except BrokenProcessPool:
            yield from map(lost, items[done:])
        except BaseException:  # Ctrl-C: nobody waits for what is under way
            for child in multiprocessing.active_children():
                child.terminate()
            raise


def _start_process(parent: int) -> None:
    """A new process ends with its parent; Ctrl-C is for the parent, which ends it."""
    from tf2towers.launch.leftovers import die_with

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.freeze()  # what the parent made is shared, as long as nobody looks for garbage in it
    end = die_with(parent)
    if end is not None:
        end()


def with_progress(results: Iterable[Got], count: int) -> Iterator[Got]:
    """The results, with their number on the terminal while they come."""
    shown = sys.stderr.isatty() and count > 1
    for number, result in enumerate(results, 1):
        if shown:
            print(f"\r{number} of {count}", end="", file=sys.stderr, flush=True)
        yield result
    if shown:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)

"""Maps a function over items in several processes, which always end with this one."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

Given = TypeVar("Given")
Got = TypeVar("Got")

#: the largest number of items sent to a process at once
_CHUNK = 8


def map_in_processes(
    work: Callable[[Given], Got], items: Sequence[Given], jobs: int, lost: Callable[[Given], Got]
) -> Iterator[Got]:
    """`map(work, items)` in up to `jobs` processes; results come in the order of the items.

    When a process is killed (for lack of memory, say), `lost` makes the results of the remaining
    items.
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
        except BaseException:  # such as Ctrl-C: do not wait for the running items
            for child in multiprocessing.active_children():
                child.terminate()
            raise


def _start_process(parent: int) -> None:
    """Prepares a new process: it ends with its parent, which handles Ctrl-C for it."""
    from tf2towers.launch.leftovers import die_with

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.freeze()  # the parent's objects stay in shared memory pages as long as no collection touches them
    end = die_with(parent)
    if end is not None:
        end()

"""`in_processes`: work on many items in several processes, which end with this one, however it ends."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import TypeVar

from tf2towers.launch.leftovers import die_with

Given = TypeVar("Given")
Got = TypeVar("Got")

#: as many items go to a process at once at most
_CHUNK = 8


def in_processes(
    work: Callable[[Given], Got], items: Sequence[Given], jobs: int, lost: Callable[[Given], Got]
) -> Iterator[Got]:
    """`map(work, items)` in so many processes; the order is that of the items.

    Where a process is killed (memory, say) its items are tried again one by one; `lost` gives the result of the one
    that kills it again.
    """
    left = list(items)
    chunk = max(1, min(_CHUNK, len(left) // (jobs * 4)))
    try:
        for result in _map_tasks(work, left, min(jobs, len(left)), chunk):
            left.pop(0)
            yield result
    except BrokenProcessPool:
        pass
    while left:
        try:
            for result in _map_tasks(work, list(left), 1, 1):
                left.pop(0)
                yield result
        except BrokenProcessPool:
            yield lost(left.pop(0))


def _map_tasks(work: Callable[[Given], Got], items: Sequence[Given], jobs: int, chunk: int) -> Iterator[Got]:
    with ProcessPoolExecutor(jobs, initializer=_start_process, initargs=(os.getpid(),)) as pool:
        chunks = [items[start : start + chunk] for start in range(0, len(items), chunk)]
        try:
            for future in [pool.submit(_run_task, work, some) for some in chunks]:
                yield from future.result()
        except BaseException:  # Ctrl-C: nobody waits for what is under way
            for child in multiprocessing.active_children():
                child.terminate()
            raise


def _run_task(work: Callable[[Given], Got], items: Sequence[Given]) -> list[Got]:
    return [work(item) for item in items]


def _start_process(parent: int) -> None:
    """A new process ends with its parent; Ctrl-C is for the parent, which ends it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.freeze()  # what the parent made is shared, as long as nobody looks for garbage in it
    end = die_with(parent)
    if end is not None:
        end()

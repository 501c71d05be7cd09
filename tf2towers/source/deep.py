"""Runs work on a stack for deep expressions: a sum of hundreds of terms is as many levels deep."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

T = TypeVar("T")

#: stack sizes, the largest first: if memory is limited (`ulimit -v`), a smaller one is used
_STACKS = (256 * 1024 * 1024, 64 * 1024 * 1024, 16 * 1024 * 1024)
_LIMIT = 50_000
#: held while a text is parsed, and while the recursion limit, which all threads share, is set
LIMIT_OF_RECURSION = threading.RLock()
_NAME = "tf2towers-deep"


def with_deep_stack(work: Callable[[], T]) -> T:
    """What `work` returns, on a stack large enough for any script that Python can parse.

    It runs in a separate thread, which Ctrl-C does not end; this is safe, since it writes nothing.
    If the caller is in such a thread already, `work` is just called.
    """
    if threading.current_thread().name == _NAME:
        return work()
    done: Future[T] = Future()

    def run() -> None:
        try:
            done.set_result(work())
        except BaseException as problem:
            done.set_exception(problem)

    with LIMIT_OF_RECURSION:
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(max(limit, _LIMIT))
    try:
        _started(run).join()
    finally:
        with LIMIT_OF_RECURSION:
            sys.setrecursionlimit(limit)
    return done.result()


def _started(run: Callable[[], None]) -> threading.Thread:
    size = threading.stack_size()
    try:
        for stack in _STACKS:
            threading.stack_size(stack)
            thread = threading.Thread(target=run, name=_NAME, daemon=True)
            try:
                thread.start()
            except RuntimeError:
                if stack == _STACKS[-1]:
                    raise MemoryError("there is no room for a stack") from None
                continue
            return thread
    finally:
        threading.stack_size(size)
    raise AssertionError("a stack is tried")

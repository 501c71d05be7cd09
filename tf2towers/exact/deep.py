"""Room for deeply nested expressions: sums of hundreds of terms nest as deep as they are long."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

_STACK = 256 * 1024 * 1024
_LIMIT = 50_000


def with_deep_stack(work: Callable[[], T]) -> T:
    """The result of `work`, run on a stack large enough for any script that Python itself can parse."""
    results: list[T] = []
    problems: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as problem:
            problems.append(problem)

    limit, size = sys.getrecursionlimit(), threading.stack_size()
    sys.setrecursionlimit(max(limit, _LIMIT))
    threading.stack_size(_STACK)
    try:
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(size)
        sys.setrecursionlimit(limit)
    if problems:
        raise problems[0]
    return results[0]

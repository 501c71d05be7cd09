"""Runs within a run: a `tf.py_func` whose Python calls `session.run`.

Each stands in one of TensorFlow's threads, of which a process has as many as cores, and waits there for operations that
need such a thread. As many of them at once as there are threads wait for ever. In TF1 the session's config could say a
larger number; here it comes too late where `tf.data` has started TensorFlow before the first session.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Iterator

import tensorflow as tf

#: the threads of a process whose first session is still to come: a few runs within runs, whatever its config will say
AT_LEAST = 8
#: seconds after which it is said that runs may wait for each other
_PATIENCE = 10.0
_ENVIRONMENT = "TF_NUM_INTEROP_THREADS"

_under_way: set[int] = set()  # the threads that have called Python, which runs something


def have_threads_for_nested_runs() -> None:
    """To be called before TensorFlow starts: has it make more threads than a small machine has cores."""
    if not tf.config.threading.get_inter_op_parallelism_threads() and not os.environ.get(_ENVIRONMENT):
        threads = max(AT_LEAST, len(os.sched_getaffinity(0)))
        tf.config.threading.set_inter_op_parallelism_threads(threads)


def is_nested() -> bool:
    """Whether this thread is TensorFlow's, not Python's, so that the caller runs in a `tf.py_func`."""
    return isinstance(threading.current_thread(), threading._DummyThread)


def count_threads() -> int:
    """The number of threads that TensorFlow runs operations in."""
    asked = tf.config.threading.get_inter_op_parallelism_threads()
    if not asked:
        with contextlib.suppress(ValueError):
            asked = int(os.environ.get(_ENVIRONMENT, "0"))
    return asked or len(os.sched_getaffinity(0))


@contextlib.contextmanager
def watched() -> Iterator[None]:
    """Context of a nested run: prints a warning after a while if nested runs occupy all threads."""
    thread = threading.get_ident()
    _under_way.add(thread)
    timer = threading.Timer(_PATIENCE, _warn) if len(_under_way) >= count_threads() else None
    try:
        if timer is not None:
            timer.daemon = True
            timer.start()
        yield
    finally:
        if timer is not None:
            timer.cancel()
        _under_way.discard(thread)


def _warn() -> None:
    print(
        f"{len(_under_way)} runs of sessions within runs (tf.py_func) wait in TensorFlow's {count_threads()} "
        f"threads, and may wait for each other for ever. Set a larger {_ENVIRONMENT} in the environment.",
        file=sys.stderr,
        flush=True,
    )

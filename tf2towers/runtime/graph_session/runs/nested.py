"""Runs within a run: a `tf.py_func` whose Python calls `session.run`.

Each stands in one of TensorFlow's threads, of which a process has as many as cores, and waits there for operations that
need such a thread. As many of them at once as there are threads wait for ever. In TF1 the session's config could say a
larger number; here it comes too late where `tf.data` or a strategy has started TensorFlow before the first session. So
the number is looked up in the program. More threads than cores cost a step of many small operations a tenth of its
time: without such a number there are as many as ever.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
import sysconfig
import threading
from collections.abc import Iterator
from pathlib import Path

import tensorflow as tf

#: the threads where a program says a number that only a run of it knows: enough for a few runs within runs
AT_LEAST = 8
#: seconds after which it is said that runs may wait for each other
_PATIENCE = 10.0
_ENVIRONMENT = "TF_NUM_INTEROP_THREADS"
#: what asks for threads in a `ConfigProto`: the number, if it stands there
_ASKS = re.compile(r"\binter_op_parallelism_threads(?:\s*=\s*(\d+)[ \t]*(?=[,)#\n]|$))?")

_under_way: set[int] = set()  # the threads that have called Python, which runs something


def have_threads_for_nested_runs() -> None:
    """To be called before TensorFlow starts: has it make the threads that the program will ask for."""
    if tf.config.threading.get_inter_op_parallelism_threads() or os.environ.get(_ENVIRONMENT):
        return
    numbers = [number for text in _program() for number in _ASKS.findall(text)]
    least = 0 if all(numbers) else max(AT_LEAST, len(os.sched_getaffinity(0)))
    if threads := max([least, *(int(number or 0) for number in numbers)]):
        tf.config.threading.set_inter_op_parallelism_threads(threads)


def _program() -> Iterator[str]:
    """The texts of the program's modules that are loaded; one without a file may ask for any number."""
    others = (sysconfig.get_path("stdlib"), str(Path(__file__).parents[2]))
    if getattr(sys.modules["__main__"], "__file__", None) is None:
        yield "inter_op_parallelism_threads"
    for module in list(sys.modules.values()):
        file = str(getattr(module, "__file__", None))
        if file.endswith(".py") and "-packages" not in file and not file.startswith(others):
            with contextlib.suppress(OSError):
                yield Path(file).read_text("utf-8", "replace")


def is_nested() -> bool:
    """Whether this thread is none of Python's: TensorFlow called the Python code that asks."""
    return isinstance(threading.current_thread(), threading._DummyThread)


def threads_there_are() -> int:
    """How many threads TensorFlow makes operations in."""
    asked = tf.config.threading.get_inter_op_parallelism_threads() or int(os.environ.get(_ENVIRONMENT) or 0)
    return asked or len(os.sched_getaffinity(0))


@contextlib.contextmanager
def watched() -> Iterator[None]:
    """Around a run within a run: where all threads are taken, it is said after a while."""
    thread = threading.get_ident()
    _under_way.add(thread)
    timer = threading.Timer(_PATIENCE, _say) if len(_under_way) >= threads_there_are() else None
    try:
        if timer is not None:
            timer.daemon = True
            timer.start()
        yield
    finally:
        if timer is not None:
            timer.cancel()
        _under_way.discard(thread)


def _say() -> None:
    print(
        f"{len(_under_way)} runs of sessions within runs (tf.py_func) wait in TensorFlow's {threads_there_are()} "
        f"threads, and may wait for each other for ever. A larger {_ENVIRONMENT} in the environment helps.",
        file=sys.stderr,
        flush=True,
    )

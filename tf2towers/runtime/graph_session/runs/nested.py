"""Nested runs: a `tf.py_func` whose Python function calls `session.run`.

Each nested run occupies one of TensorFlow's threads, of which a process has one for each core, and
waits there for ops that need such a thread. If nested runs occupy all threads, they wait for ever.
In TF1 the session's config could set more threads; here it comes too late if `tf.data` or a
strategy has started TensorFlow before the first session. So a larger number is looked up in the
program's text. It may be of a config that is not used: then there are too many threads, which adds
a tenth to the time of a step with many small ops. The text never makes them fewer.
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

#: threads for a program that sets a number that its text does not show: enough for a few nested
#: runs
AT_LEAST = 8
#: seconds before the warning that runs may wait for each other
_PATIENCE = 10.0
_ENVIRONMENT = "TF_NUM_INTEROP_THREADS"
#: options of a `ConfigProto` that set threads, with the number if it is a constant
_THREADS_OPTION = re.compile(r"\binter_op_parallelism_threads(?:\s*=\s*(\d+)[ \t]*(?=[,)#\n]|$))?")

_under_way: set[int] = set()  # TensorFlow's threads whose Python function is in a nested run


def have_threads_for_nested_runs() -> None:
    """Has more threads than cores if the program's text asks; only before TensorFlow starts."""
    if tf.config.threading.get_inter_op_parallelism_threads() or os.environ.get(_ENVIRONMENT):
        return
    numbers = [int(number or AT_LEAST) for text in _program() for number in _THREADS_OPTION.findall(text)]
    if (threads := max(numbers, default=0)) > len(os.sched_getaffinity(0)):
        tf.config.threading.set_inter_op_parallelism_threads(threads)


def _program() -> Iterator[str]:
    """Yields the texts of the program's loaded modules; without a file, any number may be asked."""
    others = (sysconfig.get_path("stdlib"), str(Path(__file__).parents[2]))
    if getattr(sys.modules["__main__"], "__file__", None) is None:
        yield "inter_op_parallelism_threads"
    for module in list(sys.modules.values()):
        file = str(getattr(module, "__file__", None))
        if file.endswith(".py") and "-packages" not in file and not file.startswith(others):
            with contextlib.suppress(OSError):
                yield Path(file).read_text("utf-8", "replace")


def is_nested() -> bool:
    """True if this thread is TensorFlow's, not Python's: the caller runs in a `tf.py_func`."""
    return isinstance(threading.current_thread(), threading._DummyThread)


def count_threads() -> int:
    """The number of threads that TensorFlow runs ops in."""
    environment = os.environ.get(_ENVIRONMENT, "")
    asked = int(environment) if environment.isdigit() else 0
    return tf.config.threading.get_inter_op_parallelism_threads() or asked or len(os.sched_getaffinity(0))


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

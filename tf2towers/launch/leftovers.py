"""Ends every process that a launch started, found by a mark in its environment (Linux)."""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
import sys
import time
import uuid
from collections.abc import Callable
from pathlib import Path

MARK = "TF2TOWERS_LAUNCH"
_PROC = Path("/proc")
AFTER_KILL = 5.0  # seconds to wait for killed processes to end


def new_mark() -> str:
    """A new value of the variable MARK, which begins with this process's own, if it has one."""
    return "/".join(filter(None, [os.environ.get(MARK), uuid.uuid4().hex]))


def kill_leftovers(mark: str) -> None:
    """Kills this user's other processes whose mark begins with this one; waits for their end.

    Searches again until none is found, because a process may start another before it is killed. A
    process that replaced its environment is not found. Without /proc, no process is found.
    """
    if not hasattr(os, "pidfd_open") or not _PROC.is_dir():
        return
    deadline = time.monotonic() + AFTER_KILL
    while (found := _marked_processes(mark)) and time.monotonic() < deadline:
        for pid in found:
            _kill(pid, mark, deadline)


def _kill(pid: int, mark: str, deadline: float) -> None:
    """Kills a process, which may have ended, and waits for its end."""
    with contextlib.suppress(OSError):
        process = os.pidfd_open(pid)
        try:
            if _has_mark(pid, mark):  # the process id may belong to another process by now
                signal.pidfd_send_signal(process, signal.SIGKILL)
                end = select.poll()
                end.register(process, select.POLLIN)
                end.poll(max(0.0, deadline - time.monotonic()) * 1000)
        finally:
            os.close(process)


def _marked_processes(mark: str) -> list[int]:
    numbers = [int(name) for name in os.listdir(_PROC) if name.isdigit()]  # noqa: PTH208 - may be thousands
    return [pid for pid in numbers if pid != os.getpid() and _has_mark(pid, mark)]


def _has_mark(pid: int, mark: str) -> bool:
    try:
        environment = (_PROC / str(pid) / "environ").read_bytes()
    except OSError:
        return False
    own = f"{MARK}={mark}".encode()
    return any(variable == own or variable.startswith(own + b"/") for variable in environment.split(b"\0"))


# -- kills a task when its launcher ends, even by SIGKILL: Linux only ------------------------------

_PR_SET_PDEATHSIG = 1


def die_with(launcher: int) -> Callable[[], None] | None:
    """A function by which a new process dies with its parent; None where impossible.

    All names are looked up here, so that the function only makes two system calls.
    """
    if not sys.platform.startswith("linux"):
        return None
    try:
        prctl = ctypes.CDLL(None, use_errno=True).prctl
    except (OSError, AttributeError):
        return None

    def preexec() -> None:
        prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
        if os.getppid() != launcher:  # the launcher ended before prctl
            os._exit(1)

    return preexec

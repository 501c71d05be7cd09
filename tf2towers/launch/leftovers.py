"""Processes that tasks have left behind in sessions of their own, found by a mark in their environment (Linux)."""

from __future__ import annotations

import contextlib
import os
import signal
import uuid
from collections.abc import Iterator
from pathlib import Path

MARK = "TF2TOWERS_LAUNCH"
_PROC = Path("/proc")


def new_mark() -> str:
    """A value of the variable MARK that no other launch has."""
    return uuid.uuid4().hex


def kill_leftovers(mark: str) -> int:
    """Kills every process of this user that has the mark, but not this one; gives how many there were.

    A process that replaced its environment is not found. Where there is no /proc nothing is.
    """
    killed = 0
    for pid in _marked(mark):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            descriptor = os.pidfd_open(pid)
            try:
                if _has(pid, mark):  # the number may be another process's by now
                    signal.pidfd_send_signal(descriptor, signal.SIGKILL)
                    killed += 1
            finally:
                os.close(descriptor)
    return killed


def _marked(mark: str) -> Iterator[int]:
    if not hasattr(os, "pidfd_open") or not _PROC.is_dir():
        return
    for name in os.listdir(_PROC):  # noqa: PTH208 - there may be thousands
        if name.isdigit() and int(name) != os.getpid() and _has(int(name), mark):
            yield int(name)


def _has(pid: int, mark: str) -> bool:
    try:
        environment = (_PROC / str(pid) / "environ").read_bytes()
    except OSError:
        return False
    return f"{MARK}={mark}".encode() in environment.split(b"\0")

"""Processes that tasks have left behind in sessions of their own, found by a mark in their environment (Linux)."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time
import uuid
from pathlib import Path

MARK = "TF2TOWERS_LAUNCH"
_PROC = Path("/proc")
_AFTER_KILL = 5.0  # seconds that the system has for ending what it was told to kill


def new_mark() -> str:
    """A value of the variable MARK that no other launch has. Where this process has a mark, the new one is below it."""
    return "/".join(filter(None, [os.environ.get(MARK), uuid.uuid4().hex]))


def can_kill() -> bool:
    """Whether processes can be found by their mark here, and killed for certain."""
    return hasattr(os, "pidfd_open") and _PROC.is_dir()


def kill_leftovers(mark: str) -> None:
    """Kills every process of this user that has the mark or one below it, not this one, and waits for their end.

    Looks again until there is none: one that is about to be killed may start another. A process that replaced its
    environment is not found. Where there is no /proc nothing is.
    """
    if not can_kill():
        return
    deadline = time.monotonic() + _AFTER_KILL
    while (found := _marked(mark)) and time.monotonic() < deadline:
        for pid in found:
            with contextlib.suppress(OSError):  # it may have ended
                _kill(pid, mark, deadline)


def signal_marked(mark: str, number: signal.Signals) -> None:
    """Sends a signal, once each, to every process of this user that has the mark, but not to this one.

    Looks again until it finds no other: one may have started another meanwhile.
    """
    sent: set[int] = set()
    while found := set(_marked(mark)) - sent:
        for pid in found:
            with contextlib.suppress(OSError):
                _send(pid, mark, number)
        sent |= found


def _send(pid: int, mark: str, number: signal.Signals) -> None:
    process = os.pidfd_open(pid)
    try:
        if _has(pid, mark):
            signal.pidfd_send_signal(process, number)
    finally:
        os.close(process)


def _kill(pid: int, mark: str, deadline: float) -> None:
    process = os.pidfd_open(pid)
    try:
        if _has(pid, mark):  # the number may be another process's by now
            signal.pidfd_send_signal(process, signal.SIGKILL)
            end = select.poll()
            end.register(process, select.POLLIN)
            end.poll(max(0.0, deadline - time.monotonic()) * 1000)
    finally:
        os.close(process)


def _marked(mark: str) -> list[int]:
    numbers = [int(name) for name in os.listdir(_PROC) if name.isdigit()]  # noqa: PTH208 - may be thousands
    return [pid for pid in numbers if pid != os.getpid() and _has(pid, mark)]


def _has(pid: int, mark: str) -> bool:
    try:
        environment = (_PROC / str(pid) / "environ").read_bytes()
    except OSError:
        return False
    ours = f"{MARK}={mark}".encode()
    return any(variable == ours or variable.startswith(ours + b"/") for variable in environment.split(b"\0"))

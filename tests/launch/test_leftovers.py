"""Processes in sessions of their own are found by their mark."""

import contextlib
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tf2towers.launch.leftovers import MARK, kill_leftovers, new_mark

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc")
SLEEPS = "import time; print(flush=True); time.sleep(20)"
BREEDS = """
import os, time
print(flush=True)
for _ in range(300):
    if os.fork() == 0:
        os.setsid()
        time.sleep(20)
        os._exit(0)
    time.sleep(0.0005)
time.sleep(20)
"""


def begin(code: str, mark: str) -> subprocess.Popen[bytes]:
    environment = {**os.environ, MARK: mark}
    process = subprocess.Popen([sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    return process


def test_only_processes_with_the_mark_are_killed() -> None:
    mark = new_mark()
    with begin(SLEEPS, mark) as ours, begin(SLEEPS, new_mark()) as other:
        kill_leftovers(mark)
        assert ours.poll() == -9  # at once: its end is waited for
        assert other.poll() is None
        other.kill()


def test_a_task_that_keeps_starting_processes_is_killed_with_them() -> None:
    mark = new_mark()
    with begin(BREEDS, mark) as process:
        time.sleep(0.05)
        kill_leftovers(mark)
        assert process.poll() == -9
        assert marked(mark) == []


def test_a_launch_within_a_launch(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it starts has a mark of its own, and is found by that of the outer one."""
    outer = new_mark()
    monkeypatch.setenv(MARK, outer)
    inner = new_mark()
    with begin(SLEEPS, inner) as process, begin(SLEEPS, outer + "0") as other:
        assert inner != outer
        kill_leftovers(outer)
        assert process.poll() == -9
        assert other.poll() is None
        other.kill()


def test_without_leftovers_nothing_is_killed() -> None:
    kill_leftovers(new_mark())


def marked(mark: str) -> list[str]:
    """The numbers of the processes with this mark."""
    found = []
    for environ in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if mark.encode() in environ.read_bytes():
                found.append(environ.parent.name)
    return found

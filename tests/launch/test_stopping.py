"""Whatever stops the launcher, nothing of the cluster runs afterwards."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from .conftest import Start, Write

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc")
SLEEPS = """
    tell(os.getpid())
    time.sleep(60)
"""
HAS_CHILDREN = """
    for own in (False, True):
        code = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True); time.sleep(60)"
        child = subprocess.Popen([sys.executable, "-c", code], start_new_session=own, stdout=subprocess.PIPE)
        child.stdout.readline()
        tell(child.pid, f"child-{own}-{job}-{index}")
    tell(os.getpid())
"""
IGNORES = """
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    tell(os.getpid())
    time.sleep(60)
"""
WRITES = """
    tell(os.getpid())
    while True: print("x" * 1000)
"""
TASKS = ("ps-0", "worker-0", "worker-1")
CHILDREN = tuple(f"child-{own}-{task}" for own in (False, True) for task in TASKS)


def pids(*names: str) -> list[int]:
    """Of the processes of these names, once they are all there."""
    deadline = time.monotonic() + 20
    while not all(Path(name).exists() for name in names):
        assert time.monotonic() < deadline, list(Path().iterdir())
        time.sleep(0.01)
    return [int(Path(name).read_text()) for name in names]


def runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    try:  # one that nobody has reaped is not running
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return not Path("/proc/self").exists()


@pytest.fixture
def cluster(script: Write, start: Start) -> Iterator[Start]:
    """Starts a cluster whose processes run and have told their numbers; at the end of the test none of them runs."""
    everyone: list[int] = []

    def begin(body: str, *children: str) -> subprocess.Popen[str]:
        process = start("--", script(body))
        everyone.extend(pids(*TASKS, *children))
        return process

    yield begin
    assert everyone and not any(map(runs, everyone))


@pytest.mark.parametrize(
    ("body", "children", "number"),
    [
        *((SLEEPS, (), number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)),
        (IGNORES, (), signal.SIGTERM),
        pytest.param(HAS_CHILDREN + "    time.sleep(60)", CHILDREN, signal.SIGINT, marks=linux),
    ],
    ids=["SIGINT", "SIGTERM", "SIGHUP", "tasks that ignore it", "grandchildren"],
)
def test_a_signal_stops_every_task(
    cluster: Start, body: str, children: tuple[str, ...], number: signal.Signals
) -> None:
    process = cluster(body, *children)
    assert all(map(runs, pids(*TASKS, *children)))
    process.send_signal(number)
    out, errors = process.communicate(timeout=180)
    assert process.returncode == 128 + number
    assert (out, errors) == ("", f"tf2towers launch: {number.name}: every task is stopped\n")


@linux
@pytest.mark.parametrize("status", [0, 7])
def test_grandchildren_of_tasks_that_have_ended(cluster: Start, status: int) -> None:
    end = f"    if me == 'worker 1': wait_for(*{TASKS}); sys.exit({status})"
    process = cluster(HAS_CHILDREN + end, *CHILDREN)
    process.communicate(timeout=180)
    assert process.returncode == status


def test_the_second_signal_does_not_wait(cluster: Start) -> None:
    process = cluster(IGNORES)
    process.send_signal(signal.SIGINT)
    assert process.stderr is not None
    assert "SIGINT" in process.stderr.readline()
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=180)
    assert time.monotonic() - began < 3
    assert process.returncode == 130


def test_a_task_may_write_while_it_is_stopped(cluster: Start) -> None:
    process = cluster("""
        def last(*_):
            print("saved", flush=True)
            sys.exit(0)
        signal.signal(signal.SIGTERM, last)
        tell(os.getpid())
        time.sleep(60)
    """)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=180)
    assert sorted(out.splitlines()) == ["[ps 0] saved", "[worker 0] saved", "[worker 1] saved"]


def test_a_closed_pipe_ends_the_launch_quietly(cluster: Start) -> None:
    process = cluster(WRITES)
    assert process.stdout is not None
    process.stdout.close()
    assert process.wait(20) == 141
    assert process.stderr is not None
    assert process.stderr.read() == ""


def test_the_reader_has_stopped_reading(cluster: Start) -> None:
    process = cluster(WRITES)
    time.sleep(0.5)  # by now the pipe is full, and the launcher waits
    for _ in range(2):
        process.send_signal(signal.SIGINT)
        time.sleep(0.1)
    assert process.wait(20) == 130


@linux
def test_the_launcher_is_killed(cluster: Start) -> None:
    process = cluster(SLEEPS)
    process.kill()
    process.wait()
    deadline = time.monotonic() + 10
    while any(map(runs, pids(*TASKS))) and time.monotonic() < deadline:
        time.sleep(0.01)

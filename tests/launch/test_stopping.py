"""Whatever stops the launcher, nothing of the cluster runs afterwards."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

Start = Callable[..., subprocess.Popen[str]]
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


@pytest.mark.parametrize(
    ("body", "names", "number"),
    [
        *((SLEEPS, TASKS, number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)),
        (IGNORES, TASKS, signal.SIGTERM),
        pytest.param(HAS_CHILDREN + "    time.sleep(60)", (*TASKS, *CHILDREN), signal.SIGINT, marks=linux),
    ],
    ids=["SIGINT", "SIGTERM", "SIGHUP", "tasks that ignore it", "grandchildren"],
)
def test_a_signal(
    script: Callable[[str], str], start: Start, body: str, names: tuple[str, ...], number: signal.Signals
) -> None:
    process = start("--", script(body))
    everyone = pids(*names)
    assert all(map(runs, everyone))
    process.send_signal(number)
    out, errors = process.communicate(timeout=180)
    assert process.returncode == 128 + number
    assert (out, errors) == ("", f"tf2towers launch: {number.name}: every task is stopped\n")
    assert not any(map(runs, everyone))


@linux
@pytest.mark.parametrize("status", [0, 7])
def test_grandchildren_of_tasks_that_have_ended(
    script: Callable[[str], str], start: Start, status: int
) -> None:
    end = f"    if me == 'worker 1': wait_for(*{TASKS}); sys.exit({status})"
    process = start("--", script(HAS_CHILDREN + end))
    everyone = pids(*TASKS, *CHILDREN)
    process.communicate(timeout=180)
    assert process.returncode == status
    assert not any(map(runs, everyone))


def test_the_second_signal_does_not_wait(script: Callable[[str], str], start: Start) -> None:
    process = start("--", script(IGNORES))
    tasks = pids(*TASKS)
    process.send_signal(signal.SIGINT)
    assert process.stderr is not None
    assert "SIGINT" in process.stderr.readline()
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=180)
    assert time.monotonic() - began < 3
    assert process.returncode == 130
    assert not any(map(runs, tasks))


def test_a_task_may_write_while_it_is_stopped(script: Callable[[str], str], start: Start) -> None:
    path = script("""
        def last(*_):
            print("saved", flush=True)
            sys.exit(0)
        signal.signal(signal.SIGTERM, last)
        tell(os.getpid())
        time.sleep(60)
    """)
    process = start("--", path)
    pids(*TASKS)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=180)
    assert sorted(out.splitlines()) == ["[ps 0] saved", "[worker 0] saved", "[worker 1] saved"]


WRITES = """
    tell(os.getpid())
    while True: print("x" * 1000)
"""


def test_nobody_reads(script: Callable[[str], str], start: Start) -> None:
    process = start("--", script(WRITES))
    tasks = pids(*TASKS)
    assert process.stdout is not None
    process.stdout.close()
    assert process.wait(20) == 141
    assert process.stderr is not None
    assert process.stderr.read() == ""
    assert not any(map(runs, tasks))


def test_the_reader_has_stopped_reading(script: Callable[[str], str], start: Start) -> None:
    process = start("--", script(WRITES))
    tasks = pids(*TASKS)
    time.sleep(0.5)  # by now the pipe is full, and the launcher waits
    for _ in range(2):
        process.send_signal(signal.SIGINT)
        time.sleep(0.1)
    assert process.wait(20) == 130
    assert not any(map(runs, tasks))


@linux
def test_the_launcher_is_killed(script: Callable[[str], str], start: Start) -> None:
    process = start("--", script(SLEEPS))
    tasks = pids(*TASKS)
    process.kill()
    process.wait()
    deadline = time.monotonic() + 10
    while any(map(runs, tasks)) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not any(map(runs, tasks))

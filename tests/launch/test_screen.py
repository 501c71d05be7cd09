"""The output of all tasks, on a terminal and in a pipe."""

import io

import pytest

from tf2towers.launch.cluster import Task, tasks_of
from tf2towers.launch.member import Member
from tf2towers.launch.screen import Screen, status_line


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def members() -> list[Member]:
    members = [Member(task) for task in tasks_of(1, 3)]
    members[0].stopped = True
    members[1].status = 0
    members[2].status = 137
    return members


def test_status_line(members: list[Member]) -> None:
    states = "ended: worker 0  stopped: ps 0  failed: worker 1  waiting: worker 2"
    assert status_line(members, 65.9) == f"1:05  {states}"
    assert status_line(members, 3725) == f"1:02:05  {states}"


def test_in_a_pipe(members: list[Member]) -> None:
    out, errors = io.StringIO(), io.StringIO()
    screen = Screen([member.task for member in members], out, errors)
    screen.lines(Task("worker", 1), ["one", "two"])
    screen.tick(members)
    screen.notice("so")
    screen.close()
    assert out.getvalue() == "[worker 1] one\n[worker 1] two\n"
    assert errors.getvalue() == "tf2towers launch: so\n"


@pytest.mark.parametrize("colour", [True, False])
def test_on_a_terminal(monkeypatch: pytest.MonkeyPatch, members: list[Member], colour: bool) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "31")
    monkeypatch.setenv("NO_COLOR", "1")
    if colour:
        monkeypatch.delenv("NO_COLOR")
    out, errors = Terminal(), io.StringIO()
    screen = Screen([member.task for member in members], out, errors)
    screen.tick(members)
    screen.tick(members)  # at once: not drawn again
    screen.lines(Task("ps", 0), ["one"])
    screen.notice("so")
    status, erase = "0:00  ended: worker 0  stopped", "\r\x1b[2K"
    prefix = "\x1b[36m[ps 0]\x1b[0m" if colour else "[ps 0]"
    assert out.getvalue() == f"{erase}{status}{erase}{prefix} one\n{status}{erase}"
    assert errors.getvalue() == "tf2towers launch: so\n"


def test_on_a_dumb_terminal(monkeypatch: pytest.MonkeyPatch, members: list[Member]) -> None:
    monkeypatch.setenv("TERM", "dumb")
    out = Terminal()
    screen = Screen([member.task for member in members], out)
    screen.tick(members)
    assert out.getvalue() == ""

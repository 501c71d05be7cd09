"""The output of all tasks, on a terminal and in a pipe."""

import io

import pytest

from tf2towers.launch.cluster import Task, tasks_of
from tf2towers.launch.screen import Screen


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_in_a_pipe() -> None:
    out, errors = io.StringIO(), io.StringIO()
    screen = Screen(tasks_of(1, 3), out, errors)
    screen.lines(Task("worker", 1), ["one", "two"])
    screen.notice("so")
    assert out.getvalue() == "[worker 1] one\n[worker 1] two\n"
    assert errors.getvalue() == "tf2towers launch: so\n"


@pytest.mark.parametrize(
    ("term", "no_colour", "prefix"),
    [("xterm", False, "\x1b[36m[ps 0]\x1b[0m"), ("xterm", True, "[ps 0]"), ("dumb", False, "[ps 0]")],
)
def test_on_a_terminal(monkeypatch: pytest.MonkeyPatch, term: str, no_colour: bool, prefix: str) -> None:
    monkeypatch.setenv("TERM", term)
    monkeypatch.delenv("NO_COLOR", raising=False)
    if no_colour:
        monkeypatch.setenv("NO_COLOR", "1")
    out = Terminal()
    Screen(tasks_of(1, 3), out).lines(Task("ps", 0), ["one"])
    assert out.getvalue() == f"{prefix} one\n"

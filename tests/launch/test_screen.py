"""The output of all tasks on a terminal; in a pipe it is test_command.py's."""

import io

import pytest

from tf2towers.launch.cluster import Task, tasks_of
from tf2towers.launch.screen import Screen


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


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

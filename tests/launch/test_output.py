"""The output of tasks: lines from bytes, and their look on a terminal; test_command.py tests output to a pipe."""

import io

import pytest

from tf2towers.launch.cluster import Task, tasks_of
from tf2towers.launch.process import LONGEST, Lines
from tf2towers.launch.screen import Screen


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ([b"one\ntwo\n"], ["one", "two"]), ([b"on", b"e\ntw", b"o"], ["one", "two"]),
        ([b"one\r\ntwo\r\n"], ["one", "two"]), ([b"one\r", b"\ntwo\n"], ["one", "two"]),
        ([b"\n\n"], ["", ""]), (["é".encode()[:1], "é\n".encode()[1:]], ["é"]), ([b"\xff\n"], ["\\xff"]),
        ([b"10%\r20%\r100%\n"], ["100%"]), ([b"\r10%", b"\r20%", b"\r100%", b"\ndone\n"], ["100%", "done"]),
        ([b"10%\r", b"20%\r"], ["20%"]), ([], []),
    ],
)  # fmt: skip
def test_lines(parts: list[bytes], expected: list[str]) -> None:
    lines = Lines()
    assert [line for part in parts for line in lines.feed(part)] + lines.end() == expected


def test_a_line_without_end_is_cut() -> None:
    lines = Lines()
    assert [len(line) for line in lines.feed(b"x" * (2 * LONGEST + 5))] == [LONGEST, LONGEST]
    assert lines.end() == ["x" * 5]


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

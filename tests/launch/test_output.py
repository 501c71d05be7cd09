"""The output of tasks: lines from bytes; test_command.py and test_terminal.py test how they are shown."""

import pytest

from tf2towers.launch.child_process import LONGEST, Lines


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
def test_output_in_pieces_becomes_whole_lines(parts: list[bytes], expected: list[str]) -> None:
    lines = Lines()
    assert [line for part in parts for line in lines.feed(part)] + lines.end() == expected


def test_a_line_without_end_is_cut() -> None:
    lines = Lines()
    assert [len(line) for line in lines.feed(b"x" * (2 * LONGEST + 5))] == [LONGEST, LONGEST]
    assert lines.end() == ["x" * 5]

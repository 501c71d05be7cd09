"""Edits of a text: spans replaced, everything else kept byte for byte."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

_LINE_END = re.compile(r"\r\n|\r|\n")
#: between two statements of one line, which a backslash may break
_ON_A_LINE = re.compile(r"[ \t]*;(?:[ \t]|\\\r?\n)*")


@dataclass(frozen=True)
class Edit:
    """The text between two offsets becomes another; an empty span is an insertion.

    A removal (`whole`) wins over edits inside it.
    """

    start: int
    end: int
    text: str
    whole: bool = False


class Placed(Protocol):
    """What has a place in a text, as Python's syntax trees tell it: lines from 1, columns in UTF-8 bytes."""

    lineno: int
    col_offset: int
    end_lineno: int | None
    end_col_offset: int | None


class Text:
    """A text whose lines Python counts: offsets of nodes, of lines, and the text between them."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = [0, *(found.end() for found in _LINE_END.finditer(text))]
        self._ascii = text.isascii()
        self.newline = "\r\n" if "\r\n" in text else "\r" if "\r" in text and "\n" not in text else "\n"

    def offset(self, line: int, column: int) -> int:
        """The offset of a line and a column in bytes."""
        start = self.starts[line - 1]
        if self._ascii:
            return start + column
        row = self.text[start : self._end(line)]
        return start + (column if row.isascii() else len(row.encode()[:column].decode(errors="ignore")))

    def start(self, node: Placed) -> int:
        """Where a node starts."""
        return self.offset(node.lineno, node.col_offset)

    def end(self, node: Placed) -> int:
        """Where a node ends."""
        assert node.end_lineno is not None and node.end_col_offset is not None
        return self.offset(node.end_lineno, node.end_col_offset)

    def of(self, node: Placed) -> str:
        """A node's own text."""
        return self.text[self.start(node) : self.end(node)]

    def between_on_a_line(self, node: Placed, following: Placed) -> tuple[int, int] | None:
        """What stands between two statements that share a line: offsets, or None if they do not."""
        between = self.end(node), self.start(following)
        return between if _ON_A_LINE.fullmatch(self.text[slice(*between)]) else None

    def line_of(self, offset: int) -> int:
        """The line that an offset is in."""
        return bisect_right(self.starts, offset)

    def line_start(self, line: int) -> int:
        """The offset a line starts at; the end of the text for the line after the last."""
        return self.starts[line - 1] if line <= len(self.starts) else len(self.text)

    def line(self, line: int) -> str:
        """The text of a line, its end included."""
        return self.text[self.line_start(line) : self._end(line)]

    def indent(self, line: int) -> str:
        """The white space a line starts with."""
        row = self.line(line)
        return row[: len(row) - len(row.lstrip(" \t\f"))]

    def _end(self, line: int) -> int:
        return self.starts[line] if line < len(self.starts) else len(self.text)


class Conflict(Exception):
    """Two edits want the same text."""


def apply(text: str, edits: Iterable[Edit]) -> str:
    """The text with every edit made; those inside a removal are dropped, insertions at one place keep their order."""
    wanted = list(dict.fromkeys(edits))
    removed = sorted((edit.start, edit.end) for edit in wanted if edit.whole)
    kept = [edit for edit in wanted if edit.whole or not _inside(edit, removed)]
    kept.sort(key=lambda edit: (edit.start, edit.end))
    parts: list[str] = []
    place = 0
    for edit in kept:
        if edit.start < place and (edit.text or not edit.whole):  # two removals may take the same blank lines
            raise Conflict(f"two edits at {edit.start}: {edit.text!r}")
        parts += [text[place : edit.start], edit.text]
        place = max(place, edit.end)
    return "".join([*parts, text[place:]])


def _inside(edit: Edit, removed: list[tuple[int, int]]) -> bool:
    if edit.start == edit.end:  # an insertion beside a removal stays
        return any(start < edit.start < end for start, end in removed)
    return any(start <= edit.start and edit.end <= end for start, end in removed)

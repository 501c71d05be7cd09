"""Edits of a text by the places of Python's syntax tree: lines from 1, columns in UTF-8 bytes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple, Protocol


class Placed(Protocol):
    """What has a place in a text."""

    lineno: int
    col_offset: int
    end_lineno: int | None
    end_col_offset: int | None


class Edit(NamedTuple):
    """The text between two offsets becomes another; an empty span is an insertion."""

    start: int
    end: int
    new: str


class Text:
    """A text with the offsets of nodes."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._starts = [0, *(found.end() for found in re.finditer(r"\r\n|\r|\n", text))]

    def start(self, node: Placed) -> int:
        """Where a node starts."""
        return self._offset(node.lineno, node.col_offset)

    def end(self, node: Placed) -> int:
        """Where a node ends."""
        assert node.end_lineno is not None and node.end_col_offset is not None
        return self._offset(node.end_lineno, node.end_col_offset)

    def of(self, node: Placed) -> str:
        """A node's own text."""
        return self.text[self.start(node) : self.end(node)]

    def line_start(self, line: int) -> int:
        """The offset a line starts at; the end of the text for the line after the last."""
        return self._starts[line - 1] if line <= len(self._starts) else len(self.text)

    def _offset(self, line: int, column: int) -> int:
        start = self._starts[line - 1]
        row = self.text[start : self.line_start(line + 1)]
        return start + (column if row.isascii() else len(row.encode()[:column].decode(errors="ignore")))


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """The text with every edit made; insertions at one place are joined in their order."""
    inserted: dict[int, str] = {}
    spans = []
    for edit in edits:
        if edit.start == edit.end:
            inserted[edit.start] = inserted.get(edit.start, "") + edit.new
        else:
            spans.append(edit)
    parts, place = [], 0
    for edit in sorted([*(Edit(at, at, new) for at, new in inserted.items()), *spans]):
        if edit.start < place:
            raise ValueError(f"two edits at {edit.start}: {edit.new!r}")
        parts += [text[place : edit.start], edit.new]
        place = edit.end
    return "".join([*parts, text[place:]])

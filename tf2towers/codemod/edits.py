"""Edits of a text: spans replaced, everything else kept byte for byte."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, replace

import libcst as cst

from tf2towers.codemod.tree import Tree

_LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True)
class Edit:
    """The text between two offsets becomes another; an empty span is an insertion.

    An edit with `whole` replaces its whole span: edits inside it are dropped.
    """

    start: int
    end: int
    text: str
    whole: bool = False


class Text:
    """The text of a file, with the offsets of its nodes and of its lines, which are counted as Python does."""

    def __init__(self, tree: Tree) -> None:
        self.text = tree.text
        self.start, self.end = tree.start, tree.end
        self.starts = [0, *(found.end() for found in _LINE_END.finditer(self.text))]
        crlf, cr = "\r\n" in self.text, "\r" in self.text and "\n" not in self.text
        self.newline = "\r\n" if crlf else "\r" if cr else "\n"

    def of(self, node: cst.CSTNode) -> str:
        """A node's own text."""
        return self.text[self.start(node) : self.end(node)]

    def first_line(self, node: cst.CSTNode) -> int:
        """The line that a node starts in; decorators precede that of a definition."""
        return self.line_of(self.start(node))

    def last_line(self, node: cst.CSTNode) -> int:
        """The line that a node ends in."""
        return self.line_of(self.end(node))

    def column(self, node: cst.CSTNode) -> int:
        """The column that a node starts in, from 0."""
        start = self.start(node)
        return start - self.starts[self.line_of(start) - 1]

    def line_of(self, offset: int) -> int:
        """The line that an offset is in."""
        return bisect_right(self.starts, offset)

    def line_start(self, line: int) -> int:
        """The offset a line starts at; the end of the text for the line after the last."""
        return self.starts[line - 1] if line <= len(self.starts) else len(self.text)

    def line(self, line: int) -> str:
        """The text of a line, its end included."""
        return self.text[self.line_start(line) : self.line_start(line + 1)]

    def indent(self, line: int) -> str:
        """The white space a line starts with."""
        row = self.line(line)
        return row[: len(row) - len(row.lstrip(" \t\f"))]


_MOVED = re.compile("\0(\\d+):(\\d+)\0")


def moved_text(start: int, end: int) -> str:
    """A placeholder in an edit's text: it becomes the text of a span, after the edits inside that span."""
    return f"\0{start}:{end}\0"


def as_it_was(text: str, source: str) -> str:
    """An edit's text, where each placeholder becomes its span's text before any edits."""
    return _MOVED.sub(lambda span: source[int(span[1]) : int(span[2])], text)


def with_moved(text: str, edits: list[Edit]) -> list[Edit]:
    """The edits, where each placeholder of `moved_text` becomes its span's text after the other edits."""

    def made(span: re.Match[str]) -> str:
        start, end = int(span[1]), int(span[2])
        inside = [
            Edit(edit.start - start, edit.end - start, edit.text, edit.whole)
            for edit in edits
            if start <= edit.start and edit.end <= end and not _MOVED.search(edit.text)
        ]
        return apply(text[start:end], inside)

    return [replace(edit, text=_MOVED.sub(made, edit.text)) if "\0" in edit.text else edit for edit in edits]


class Conflict(Exception):
    """Two edits want the same text."""


def apply(text: str, edits: Iterable[Edit]) -> str:
    """The text with every edit made; those inside a removal are dropped, insertions at one offset keep their order."""
    wanted = list(dict.fromkeys(edits))
    removed = sorted((edit.start, edit.end) for edit in wanted if edit.whole)
    kept = [edit for edit in wanted if edit.whole or not _edits_inside(edit, removed)]
    kept.sort(key=lambda edit: (edit.start, edit.end))
    parts: list[str] = []
    place = 0
    for edit in kept:
        if edit.start < place and (edit.text or not edit.whole):  # two removals may take the same blank lines
            raise Conflict(f"two edits at {edit.start}: {edit.text!r}")
        parts += [text[place : edit.start], edit.text]
        place = max(place, edit.end)
    return "".join([*parts, text[place:]])


def _edits_inside(edit: Edit, removed: list[tuple[int, int]]) -> bool:
    if edit.start == edit.end:  # an insertion beside a removal stays
        return any(start < edit.start < end for start, end in removed)
    return any(start <= edit.start and edit.end <= end for start, end in removed)

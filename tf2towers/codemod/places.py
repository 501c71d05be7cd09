"""`Text`: where the nodes of a file are in its text."""

from __future__ import annotations

import re
from bisect import bisect_right

import libcst as cst

from tf2towers.codemod.tree import Tree

_LINE_END = re.compile(r"\r\n|\r|\n")


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

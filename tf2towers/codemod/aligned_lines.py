"""Lines that were aligned with an open bracket, which a shorter or longer name has moved: they move along."""

from __future__ import annotations

import io
import tokenize
from collections.abc import Iterable, Iterator

import libcst as cst

from tf2towers.codemod.edits import Edit, Text
from tf2towers.codemod.nodes import Statement, blocks


def move_aligned_lines(text: Text, nodes: Iterable[cst.CSTNode], edits: list[Edit]) -> list[Edit]:
    """The edits of white space that keep continuation lines below the brackets that the given edits move.

    Only statements over several lines that are edited within a line are looked at; what a string over several
    lines holds stays as it is.
    """
    by_line: dict[int, list[Edit]] = {}
    for edit in edits:
        if len(edit.text) != edit.end - edit.start and not _breaks_lines(text, edit):
            by_line.setdefault(text.line_of(edit.start), []).append(edit)
    if not by_line:
        return []
    found: dict[int, Edit] = {}
    for first, last in _statements_over_lines(text, nodes):
        if any(line in by_line for line in range(first, last)):
            found.update((edit.start, edit) for edit in _move_statement_lines(text, first, last, by_line))
    taken = [(edit.start, edit.end) for edit in edits if _breaks_lines(text, edit)]
    return [
        edit
        for edit in found.values()
        if not any(start <= edit.end and edit.start <= end for start, end in taken)
    ]


def _breaks_lines(text: Text, edit: Edit) -> bool:
    return edit.whole or any(sign in text.text[edit.start : edit.end] + edit.text for sign in "\r\n")


def _statements_over_lines(text: Text, nodes: Iterable[cst.CSTNode]) -> Iterator[tuple[int, int]]:
    """First and last line of each simple statement, or head of a compound one, that has several lines."""
    for node in nodes:
        if isinstance(node, Statement):
            inner = blocks(node) if isinstance(node, cst.BaseCompoundStatement) else []
            first = text.first_line(node)
            last = text.first_line(inner[0][0]) if inner else text.last_line(node)
            if last > first:
                yield first, last


def _move_statement_lines(
    text: Text, first: int, last: int, by_line: dict[int, list[Edit]]
) -> Iterator[Edit]:
    moves: dict[int, int] = {}  # by line: the columns that its beginning moves
    opened: list[tuple[int, int]] = []  # line and column after each open bracket
    seen = first
    region = text.text[text.line_start(first) : text.line_start(last + 1)]
    try:
        for token in tokenize.generate_tokens(io.StringIO(region).readline):
            if token.type in (tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT):
                continue
            line, column = token.start[0] + first - 1, token.start[1]
            if line > seen and opened and token.type != tokenize.ENDMARKER:
                bracket_line, inside = opened[-1]
                move = moves.get(bracket_line, 0)
                closing = token.type == tokenize.OP and token.string in ")]}"
                if column == inside or (closing and column == inside - 1):
                    start = text.line_start(bracket_line)
                    before = (
                        edit for edit in by_line.get(bracket_line, ()) if edit.end <= start + inside - 1
                    )
                    move += sum(len(edit.text) - (edit.end - edit.start) for edit in before)
                begins = text.line_start(line)
                white = text.text[begins : begins + column]
                if move and not white.strip(" ") and column + move >= 0:
                    moves[line] = move
                    yield Edit(begins, begins + column, " " * (column + move))
            seen = max(seen, token.end[0] + first - 1)
            if token.type == tokenize.OP and token.string in "([{":
                opened.append((line, column + 1))
            elif token.type == tokenize.OP and token.string in ")]}" and opened:
                opened.pop()
    except (tokenize.TokenError, IndentationError):
        return

"""Lines that were aligned with an open bracket, which a shorter or longer name has moved: they move along."""

from __future__ import annotations

import contextlib
import io
import tokenize
from collections.abc import Iterator

from tf2towers.codemod.edits import Edit, Text

#: tokens without a text of their own
_EMPTY = frozenset({tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER})


def move_aligned_lines(text: Text, edits: list[Edit]) -> list[Edit]:
    """The edits of white space that keep continuation lines below the brackets that the given edits move.

    Only edits within a line move others; what a string over several lines holds stays as it is.
    """
    by_line: dict[int, list[Edit]] = {}
    for edit in edits:
        if len(edit.text) != edit.end - edit.start and not _breaks_lines(text, edit):
            by_line.setdefault(text.line_of(edit.start), []).append(edit)
    if not by_line:
        return []
    moved: list[Edit] = []
    with contextlib.suppress(tokenize.TokenError, IndentationError):  # the syntax of a newer Python
        moved += _move_lines(text, by_line)
    taken = [(edit.start, edit.end) for edit in edits if _breaks_lines(text, edit)]
    return [
        edit for edit in moved if not any(start <= edit.end and edit.start <= end for start, end in taken)
    ]


def _breaks_lines(text: Text, edit: Edit) -> bool:
    return edit.whole or any(sign in text.text[edit.start : edit.end] + edit.text for sign in "\r\n")


def _move_lines(text: Text, by_line: dict[int, list[Edit]]) -> Iterator[Edit]:
    moves: dict[int, int] = {}  # by line: the columns that its beginning moves
    opened: list[tuple[int, int]] = []  # line and column after each open bracket
    seen = 0
    for token in tokenize.generate_tokens(io.StringIO(text.text).readline):
        if token.type in _EMPTY:
            continue
        line, column = token.start
        if line > seen and opened:
            bracket_line, inside = opened[-1]
            move = moves.get(bracket_line, 0)
            if column == inside or (token.string in ")]}" and column == inside - 1):
                start = text.line_start(bracket_line)
                before = (edit for edit in by_line.get(bracket_line, ()) if edit.end <= start + inside - 1)
                move += sum(len(edit.text) - (edit.end - edit.start) for edit in before)
            begins = text.line_start(line)
            white = text.text[begins : begins + column]
            if move and not white.strip(" ") and column + move >= 0:
                moves[line] = move
                yield Edit(begins, begins + column, " " * (column + move))
        seen = max(seen, token.end[0])
        if token.type == tokenize.OP and token.string in "([{":
            opened.append((line, column + 1))
        elif token.type == tokenize.OP and token.string in ")]}" and opened:
            opened.pop()

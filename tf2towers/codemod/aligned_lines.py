"""Lines that were aligned with an open bracket, which a shorter or longer name has moved: they move along.

LibCST's white space knows no columns. So the old and the new statement are written once, as LibCST writes a module, and
the columns of brackets and of continuation lines compared; what has moved is nodes again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import libcst as cst
from libcst._nodes.internal import CodegenState

from tf2towers.codemod.apply_changes import Changed

#: what a line in brackets begins with: the white space before its first word, or before its comment
Begin = cst.ParenthesizedWhitespace | cst.EmptyLine


class _Bracket(NamedTuple):
    """The column after an open bracket, and the columns by which the beginning of its line has moved."""

    inside: int
    move: int


class _Old(NamedTuple):
    """The column after the bracket around a line, the line's own, and whether the line was aligned with the bracket."""

    inside: int
    column: int
    aligned: bool


class _Writer(CodegenState):
    """Writes a tree, and knows the column that it is at, and the brackets that are open there."""

    def __init__(self, module: cst.Module) -> None:
        super().__init__(default_indent=module.default_indent, default_newline=module.default_newline)
        self.column = 0
        self.opened: list[_Bracket] = []
        #: by how many columns the line's beginning has moved
        self.move = 0
        self._begin: Begin | None = None

    def add_indent_tokens(self) -> None:
        """Writes the indentation of a block."""
        for token in self.indent_tokens:
            self.add_token(token)

    def add_token(self, value: str) -> None:
        """Writes a text."""
        if self._begin is not None and value.strip():
            begin, self._begin = self._begin, None
            self.begin_line(begin, value)
        super().add_token(value)
        ends = max(value.rfind("\n"), value.rfind("\r"))
        if ends < 0:
            self.column += len(value)
        else:
            self.column, self.move = len(value) - ends - 1, 0
        if value in ("(", "[", "{"):
            self.opened.append(_Bracket(self.column, self.move))
        elif value in (")", "]", "}") and self.opened:
            self.opened.pop()

    def before_codegen(self, node: cst.CSTNode) -> None:
        """Notices a line that begins with a comment."""
        if self.opened and isinstance(node, cst.EmptyLine) and node.comment is not None:
            self._begin = node

    def after_codegen(self, node: cst.CSTNode) -> None:
        """Notices a line that begins."""
        if self.opened and isinstance(node, cst.ParenthesizedWhitespace):
            self._begin = node

    def begin_line(self, begin: Begin, word: str) -> None:
        """Is called before the first word of each line in brackets is written."""


class _OldLines(_Writer):
    def __init__(self, module: cst.Module) -> None:
        super().__init__(module)
        self.found: dict[Begin, _Old] = {}

    def begin_line(self, begin: Begin, word: str) -> None:
        inside = self.opened[-1].inside
        column = self.column + 1 if word in (")", "]", "}") and self.column != inside else self.column
        self.found[begin] = _Old(inside, self.column, column == inside)


class _NewLines(_Writer):
    def __init__(self, module: cst.Module, old: Mapping[Begin, _Old]) -> None:
        super().__init__(module)
        self.old = old
        self.moved: dict[Begin, str] = {}

    def begin_line(self, begin: Begin, word: str) -> None:
        known, (inside, move) = self.old.get(begin), self.opened[-1]
        if known is None:
            return
        if known.aligned:
            move = known.column + inside - known.inside - self.column
        white = _white_of(begin).value
        indent = "".join(self.indent_tokens) if begin.indent else ""
        if move and self.column + move >= 0 and not (indent + white).strip(" "):
            self.column += move
            self.move = move
            self.moved[begin] = " " * self.column


def _white_of(begin: Begin) -> cst.SimpleWhitespace:
    return begin.whitespace if isinstance(begin, cst.EmptyLine) else begin.last_line


class _Moved(cst.CSTTransformer):
    """Gives lines their new beginnings."""

    def __init__(self, moved: Mapping[Begin, str]) -> None:
        super().__init__()
        self.moved = moved

    def leave_EmptyLine(self, original_node: cst.EmptyLine, updated_node: cst.EmptyLine) -> Any:
        white = self.moved.get(original_node)
        return updated_node if white is None else _begun(updated_node, "whitespace", white)

    def leave_ParenthesizedWhitespace(
        self, original_node: cst.ParenthesizedWhitespace, updated_node: cst.ParenthesizedWhitespace
    ) -> Any:
        white = self.moved.get(original_node)
        return updated_node if white is None else _begun(updated_node, "last_line", white)


def _begun(begin: Begin, field: str, white: str) -> Begin:
    return begin.with_changes(indent=False, **{field: cst.SimpleWhitespace(white)})


def with_aligned_lines(changed: Changed) -> Changed:
    """A tree whose continuation lines are below the brackets that they were below before its changes."""
    for old, new in changed.lines.items():
        before = _OldLines(changed.old)
        old._codegen(before)
        if not before.found:
            continue
        after = _NewLines(changed.old, before.found)
        for each in new:
            each._codegen(after)
        if after.moved:
            changed.lines[old] = [each.visit(_Moved(after.moved)) for each in new]
    return changed

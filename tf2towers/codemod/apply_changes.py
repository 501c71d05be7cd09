"""`apply_changes`: the one pass over a file's tree that makes all changes of all rules, children first.

What a statement leaves of its line is decided here alone: LibCST gives comments and blank lines to the statement after
them, and would take them away with it. So is what becomes of lines that were aligned with an open bracket: where a
shorter or longer name has moved it, they move along. LibCST's white space knows no columns. So the old and the new
statement are written once, as LibCST writes a module, and their columns compared; what has moved is nodes again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import libcst as cst

from tf2towers.codemod.changes import (
    Change,
    Insertion,
    Line,
    Removal,
    Replacement,
    blank_lines,
    comments_above,
    in_line,
    is_blank,
    without_first_blanks,
    without_last_blanks,
)
from tf2towers.codemod.nodes import Import
from tf2towers.codemod.tree import Tree
from tf2towers.source.cst_nodes import Writer

#: a comment that says something to a linter about the statement before it
_FOR_LINTERS = re.compile(r"#\s*(pylint|noqa|type: ignore|flake8|pragma|isort|yapf|fmt)\b")
#: the lines of a module's beginning that are about the file
_ABOUT_THE_FILE = ("#!", "# -*-")


@dataclass
class Changed:
    """A file's tree after its changes.

    Attributes:
        tree: the old tree.
        module: the new one.
        lines: by line of the old module in which something has changed, what it is now.
        fallen: by line, or the module, the lines above it that were above a statement that is gone.
        results: by node in which something has changed, what it is now.
    """

    tree: Tree
    module: cst.Module
    lines: dict[cst.CSTNode, list[Any]] = field(default_factory=dict)
    fallen: dict[cst.CSTNode, list[cst.EmptyLine]] = field(default_factory=dict)
    results: dict[cst.CSTNode, Any] = field(default_factory=dict)

    def now(self, node: Any) -> Any:
        """What a node of the old tree is now."""
        return self.results.get(node, node)


def apply_changes(tree: Tree, changes: Iterable[Change]) -> Changed:
    """The tree after the changes."""
    made = _Pass(tree, changes)
    module = tree.module.visit(made)
    assert isinstance(module, cst.Module)
    made.changed.module = module
    return made.changed


class _Pass(cst.CSTTransformer):
    def __init__(self, tree: Tree, changes: Iterable[Change]) -> None:
        super().__init__()
        self.tree = tree
        self.changed = Changed(tree, tree.module)
        self.replacements: dict[cst.CSTNode, list[Replacement]] = {}
        self.insertions: dict[cst.CSTNode, list[Insertion]] = {}
        self.removals: dict[cst.CSTNode, Removal] = {}
        #: nodes in which something changes
        self.around: set[cst.CSTNode] = {tree.module}
        #: what comes down from statements that are gone
        self.falling: dict[cst.CSTNode, list[cst.EmptyLine]] = {}
        #: what follows a statement that is gone -> the blank lines that come down to it, and count as its own
        self.gaps: dict[cst.CSTNode, int] = {}
        self.header: Sequence[cst.EmptyLine] = tree.module.header
        for change in changes:
            if isinstance(change, Replacement):
                self.replacements.setdefault(change.node, []).append(change)
                self._visit_around(change.node)
                continue
            line = tree.line(change.node)
            if line is None or (isinstance(change, Removal) and self._leaves_a_pass(change.node, line)):
                self.replacements.setdefault(change.node, []).append(Replacement(change.node, _pass))
                self._visit_around(change.node)
                continue
            if isinstance(change, Insertion):
                self.insertions.setdefault(line, []).append(change)
            else:
                known = self.removals.setdefault(line, change)
                self.removals[line] = change if known.comments == "stay" else known
                self._visit_around(self._following(line))
            self._visit_around(line)

    def _visit_around(self, node: cst.CSTNode) -> None:
        around: cst.CSTNode | None = node
        while around is not None and around not in self.around:
            self.around.add(around)
            around = self.tree.holder(around)

    def _leaves_a_pass(self, node: cst.CSTNode, line: Line) -> bool:
        """True if a statement shares its line, or is all of a block."""
        if isinstance(line, cst.SimpleStatementLine) and len(line.body) > 1:
            return True
        block = self.tree.holder(line)
        return isinstance(block, cst.IndentedBlock) and len(block.body) == 1

    def _following(self, node: cst.CSTNode) -> cst.CSTNode:
        """What has the lines after a statement: the next one, `else`, a block that ends with comments, the module."""
        while (holder := self.tree.holder(node)) is not None:
            children = holder.children
            later = children[children.index(node) + 1 :]
            for each in later:
                if hasattr(each, "leading_lines"):
                    return each
            if isinstance(holder, cst.IndentedBlock) and holder.footer:
                return holder
            node = holder
        return node

    def on_visit(self, node: cst.CSTNode) -> bool:
        """True if something changes in a node; all else stays the object that it is."""
        return node in self.around

    def on_leave(self, original_node: Any, updated_node: Any) -> Any:
        """What becomes of a node, of whose parts everything has become what it will be."""
        updated = updated_node
        if original_node in self.gaps:
            updated = _with_above(updated, _without_gap(_above(updated), self.gaps[original_node]))
        # comments stay where they are
        if all(map(is_blank, self.falling.get(original_node, ()))):
            updated = self._with_fallen(original_node, updated)
        for change in self.replacements.get(original_node, ()):
            updated = change.becomes(updated, self.changed.now)
        if isinstance(original_node, Line) and original_node in self.around:
            updated = self._lines(original_node, updated)
        elif original_node in self.falling:
            updated = self._with_fallen(original_node, updated)
        if isinstance(original_node, cst.Module):
            updated = updated.with_changes(header=self.header)
        if updated is not original_node:
            self.changed.results[original_node] = updated
        return updated

    def _with_fallen(self, original: cst.CSTNode, updated: Any) -> Any:
        """A node with the lines that have come down to it: above it, or at the end of a block or module."""
        fallen = list(self.falling.pop(original, ()))
        if not fallen:
            return updated
        above = list(_above(updated))
        if isinstance(updated, cst.FunctionDef) and not isinstance(original, cst.FunctionDef):
            count = comments_above(fallen)
            before = fallen[: len(fallen) - count]
            if count and all(
                map(is_blank, above)
            ):  # what they say is said of the function: its gap is above them
                known = len(before) - len(without_last_blanks(before))
                return _with_above(updated, [*before, *above[known:], *fallen[len(before) :]])
        return _with_above(updated, [*fallen, *above])

    def _lines(self, original: Line, updated: Any) -> Any:
        """The lines of a statement, with those that come in before it, and without those that go."""
        lines = [*updated] if isinstance(updated, cst.FlattenSentinel) else _split(updated)
        if len(lines) > 1:
            self._end_after_new_lines(original, lines)
        if original is self.tree.module.body[0] and self._changes_lines(original):
            lines[0] = lines[0].with_changes(leading_lines=[*self.header, *lines[0].leading_lines])
            self.header = ()
        removal = self.removals.get(original)
        if removal is not None:
            self._fall(original, lines[0], removal)
            lines = []
        elif original in self.falling:
            lines[0] = self._with_fallen(original, lines[0])
        for insertion in reversed(self.insertions.get(original, ())):
            lines = _with_lines_before(lines, insertion, insertion.lines(self.changed.now))
        if isinstance(self.tree.holder(original), cst.Module):
            self.changed.lines[original] = lines
        if len(lines) == 1:
            return lines[0]
        return cst.FlattenSentinel(lines) if lines else cst.RemoveFromParent()

    def _end_after_new_lines(self, original: Line, lines: list[Any]) -> None:
        """Blank lines at the end of a block come after the lines that follow it now."""
        for place, each in enumerate(lines[:-1]):
            lines[place], blank = _without_last_blanks(each)
            if blank:
                target = self._next_in_block(original)
                self.falling[target] = [*self.falling.get(target, ()), *blank_lines(blank)]
                self.around.add(target)

    def _next_in_block(self, original: Line) -> cst.CSTNode:
        """The next line of a block; the block or the module itself for the last one."""
        block = self.tree.holder(original)
        assert isinstance(block, cst.Module | cst.IndentedBlock)
        later = block.body[list(block.body).index(original) + 1 :]
        return later[0] if later else block

    def _changes_lines(self, original: Line) -> bool:
        return original in self.removals or original in self.insertions

    def _fall(self, original: Line, updated: Any, removal: Removal) -> None:
        """What is left of a statement that goes comes down to the next one of its block, or to the block's end."""
        target = self._next_in_block(original)
        following = self._following(original)
        own = list(updated.leading_lines)
        stays = _comment_beside(updated)
        comments = comments_above(own) if removal.comments != "stay" and stays is None else 0
        while comments and own[-comments].comment.value.startswith(_ABOUT_THE_FILE):
            comments -= 1
        above = own[: len(own) - comments]
        if stays is None and self._loses_gap(original, following, removal, comments):
            self.gaps[following] = len(above) - len(without_last_blanks(above))
        left = [*self.falling.pop(original, ()), *above, *([stays] if stays else [])]
        self.falling[target] = left
        self.changed.fallen[target] = left
        self.around.add(target)

    def _loses_gap(self, gone: Line, following: Any, removal: Removal, comments: int) -> bool:
        """True if what follows a statement that goes loses its blank lines: there are such above the statement.

        `comments` are the lines above it that go, too.
        """
        block = self.tree.holder(gone)
        assert isinstance(block, cst.Module | cst.IndentedBlock)
        is_first = block.body[0] is gone
        header = block.header if is_first and isinstance(block, cst.Module) else ()
        above = [*header, *gone.leading_lines]
        above = above[: len(above) - comments]
        has_gap = bool(above) and is_blank(above[-1])
        if comments:
            return removal.comments == "go" and (is_first or has_gap)
        if _is_import(gone):  # one blank line is kept, but between two imports
            below: Sequence[cst.EmptyLine] = getattr(following, "leading_lines", [])
            return has_gap and len(below) == 1 and is_blank(below[0]) and _is_import(following)
        return has_gap or (is_first and not above and isinstance(block, cst.Module))


def _above(node: Any) -> Sequence[cst.EmptyLine]:
    """The lines above a statement, or at the end of a block or module."""
    lines: Sequence[cst.EmptyLine] = node.leading_lines if hasattr(node, "leading_lines") else node.footer
    return lines


def _with_above(node: Any, lines: Sequence[cst.EmptyLine]) -> Any:
    name = "leading_lines" if hasattr(node, "leading_lines") else "footer"
    return node.with_changes(**{name: lines})


def _without_gap(lines: Sequence[cst.EmptyLine], known: int) -> list[cst.EmptyLine]:
    """Lines without the blank ones that they begin with, but for those that are more than `known`, if any are."""
    kept = without_first_blanks(lines)
    more = len(lines) - len(kept) - known if known else 0
    return [*blank_lines(max(0, more)), *kept]


def _comment_beside(line: Any) -> cst.EmptyLine | None:
    """The comment after a statement, as a line of its own, unless it is for a linter."""
    white = getattr(line, "trailing_whitespace", None)
    if white is None or white.comment is None or _FOR_LINTERS.match(white.comment.value):
        return None
    return cst.EmptyLine(comment=white.comment, newline=white.newline)


def _pass(updated: Any, now: Any) -> Any:
    """`pass` in the place of a statement."""
    if isinstance(updated, cst.BaseSmallStatement):
        return in_line(cst.Pass(), updated)
    return cst.SimpleStatementLine([cst.Pass()], leading_lines=updated.leading_lines)


def _is_import(line: cst.CSTNode) -> bool:
    return isinstance(line, cst.SimpleStatementLine) and isinstance(line.body[0], Import)


def _split(line: Line) -> list[Any]:
    """A line, or one for each statement that the only one of a line has become."""
    if not isinstance(line, cst.SimpleStatementLine) or len(line.body) < 2:
        return [line]
    if any(isinstance(each.semicolon, cst.Semicolon) for each in line.body):
        return [line]
    first, *middle, last = (cst.SimpleStatementLine([each]) for each in line.body)
    return [
        first.with_changes(leading_lines=line.leading_lines),
        *middle,
        last.with_changes(trailing_whitespace=line.trailing_whitespace),
    ]


def _without_last_blanks(line: Any) -> tuple[Any, int]:
    """A statement without the blank lines at the end of its last block, and their number."""
    block = getattr(line, "body", None)
    if not isinstance(block, cst.IndentedBlock) or not block.body:
        return line, 0
    if block.footer:
        kept = without_last_blanks(block.footer)
        gone, block = len(block.footer) - len(kept), block.with_changes(footer=kept)
    else:
        last, gone = _without_last_blanks(block.body[-1])
        block = block.with_changes(body=[*block.body[:-1], last])
    return (line.with_changes(body=block), gone) if gone else (line, 0)


def _with_lines_before(lines: list[Any], insertion: Insertion, new: Sequence[Line]) -> list[Any]:
    """Lines with new ones before them, which get the lines above: all of them, or those above the last comments."""
    first, *rest = new
    if not lines:
        return [*new]
    leading = list(lines[0].leading_lines)
    place = len(leading) - comments_above(leading) if insertion.above_comments else len(leading)
    own = [*first.leading_lines]
    return [
        first.with_changes(leading_lines=[*leading[:place], *own]),
        *rest,
        lines[0].with_changes(leading_lines=[*blank_lines(insertion.blank_after), *leading[place:]]),
        *lines[1:],
    ]


# -- lines that were aligned with an open bracket ----------------------------------------------------------------------

#: what a line in brackets begins with: the white space before its first word, or before its comment
Begin = cst.ParenthesizedWhitespace | cst.EmptyLine


class _Line(NamedTuple):
    """A line in brackets: the column after the bracket, its own, and whether it was aligned with the bracket."""

    inside: int
    column: int
    aligned: bool


class _Lines(Writer):
    """Writes a tree, and finds its lines in brackets. Those that an old tree has, too, move with their brackets."""

    def __init__(self, module: cst.Module, old: Mapping[Begin, _Line] | None = None) -> None:
        super().__init__(module)
        self.old = old or {}
        self.found: dict[Begin, _Line] = {}
        #: the white space before the lines that move
        self.moved: dict[Begin, str] = {}
        self.column = 0
        #: by how many columns the line's beginning has moved
        self.move = 0
        #: the column after each open bracket, and the columns by which the beginning of its line has moved
        self.opened: list[tuple[int, int]] = []
        self._begin: Begin | None = None

    def add_indent_tokens(self) -> None:
        """Writes the indentation of a block."""
        for token in self.indent_tokens:
            self.add_token(token)

    def add_token(self, value: str) -> None:
        """Follows a text that is written."""
        if self._begin is not None and value.strip():
            begin, self._begin = self._begin, None
            self._begin_line(begin, value)
        if "\n" in value or "\r" in value:
            self.column, self.move = len(value) - max(value.rfind("\n"), value.rfind("\r")) - 1, 0
        else:
            self.column += len(value)
        if value in ("(", "[", "{"):
            self.opened.append((self.column, self.move))
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

    def _begin_line(self, node: Begin, word: str) -> None:
        """Is called before the first word of each line in brackets is written."""
        inside, move = self.opened[-1]
        closes = word in (")", "]", "}") and self.column != inside
        self.found[node] = _Line(inside, self.column, self.column + closes == inside)
        known = self.old.get(node)
        if known is None:
            return
        if known.aligned:
            move = known.column + inside - known.inside - self.column
        white = (node.whitespace if isinstance(node, cst.EmptyLine) else node.last_line).value
        indent = "".join(self.indent_tokens) if node.indent else ""
        if move and self.column + move >= 0 and not (indent + white).strip(" "):
            self.column += move
            self.move = move
            self.moved[node] = " " * self.column


class _Moved(cst.CSTTransformer):
    """Gives lines their new beginnings."""

    def __init__(self, moved: Mapping[Begin, str]) -> None:
        super().__init__()
        self.moved = moved

    def on_leave(self, original_node: Any, updated_node: Any) -> Any:
        if original_node not in self.moved:
            return updated_node
        field = "whitespace" if isinstance(original_node, cst.EmptyLine) else "last_line"
        white = cst.SimpleWhitespace(self.moved[original_node])
        return updated_node.with_changes(indent=False, **{field: white})


def with_aligned_lines(changed: Changed) -> Changed:
    """A tree whose continuation lines are below the brackets that they were below before its changes."""
    for old, new in changed.lines.items():
        if not changed.tree.written.is_broken(old):
            continue
        before = _Lines(changed.tree.module)
        old._codegen(before)
        after = _Lines(changed.tree.module, before.found)
        for each in new if before.found else ():
            each._codegen(after)
        if after.moved:
            changed.lines[old] = [each.visit(_Moved(after.moved)) for each in new]
    return changed

"""LibCST's tree of a script, and the text of a tree, which is the script's own where nothing was changed."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from tf2towers.source.errors import SourceError
from tf2towers.source.script import Script
from tf2towers.source.syntax import TOO_DEEP


def parse_tree(script: Script) -> cst.Module:
    """The concrete syntax tree of a script; SourceError where LibCST takes less than Python does."""
    try:
        return cst.parse_module(script.text)
    except cst.ParserSyntaxError as problem:
        raise SourceError(script.path, f"cannot be parsed: {problem.message}", problem.raw_line) from None
    except RecursionError:
        raise SourceError(script.path, TOO_DEEP) from None


def text_of(tree: cst.Module, script: Script) -> str:
    """The text of a tree made from a script, with what LibCST drops at both ends put back."""
    text = tree.code
    start = script.text[: len(script.text) - len(script.text.lstrip("\x0c"))]
    if not text.startswith(start):
        text = start + text
    if script.text.endswith("\r") and not text.endswith(("\r", "\n")):
        text += "\r"
    return text


# -- `if done: break` and `a = 1; b = 2` in lines of their own, as rewrites of lines need them -------------------------


def one_statement_a_line(tree: cst.Module) -> cst.Module:
    """The tree with every statement in a line of its own; the tree itself where it is so already."""
    found = tree.visit(_Lines())
    assert isinstance(found, cst.Module)
    return found


class _Lines(cst.CSTTransformer):
    def leave_SimpleStatementSuite(
        self, original_node: cst.SimpleStatementSuite, updated_node: cst.SimpleStatementSuite
    ) -> cst.BaseSuite:
        return cst.IndentedBlock(_lines(updated_node.body, [], updated_node.trailing_whitespace))

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine | cst.FlattenSentinel[cst.SimpleStatementLine]:
        if len(updated_node.body) == 1:
            return updated_node
        return cst.FlattenSentinel(
            _lines(updated_node.body, updated_node.leading_lines, updated_node.trailing_whitespace)
        )


def _lines(
    statements: Sequence[cst.BaseSmallStatement],
    leading_lines: Sequence[cst.EmptyLine],
    trailing_whitespace: cst.TrailingWhitespace,
) -> list[cst.SimpleStatementLine]:
    """A line for each statement: what stands above them is above the first, the comment behind the last."""
    lines = [
        cst.SimpleStatementLine([small.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)])
        for small in statements
    ]
    lines[0] = lines[0].with_changes(leading_lines=leading_lines)
    lines[-1] = lines[-1].with_changes(trailing_whitespace=trailing_whitespace)
    return lines

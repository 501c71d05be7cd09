"""Statements that go: with their line, or `pass` in their place where nothing else is left of a block."""

from __future__ import annotations

import ast
import re

from tf2towers.exact.edits import Edit
from tf2towers.exact.file import File

#: a comment that says something to a linter about the statement before it
_FOR_LINTERS = re.compile(r"#\s*(pylint|noqa|type: ignore|flake8|pragma|isort|yapf|fmt)\b")


def removed(file: File, node: ast.stmt) -> Edit:
    """The edit that takes a statement away."""
    text = file.text
    first, last = node.lineno, node.end_lineno or node.lineno
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and node.decorator_list:
        first = min(first, *(decorator.lineno for decorator in node.decorator_list))
    text_before = (
        text.line(first)[: text.start(node) - text.line_start(first)] if first == node.lineno else ""
    )
    text_after = text.line(last)[text.end(node) - text.line_start(last) :]
    if _alone(file, node) or text_before.strip() or text_after.split("#")[0].strip():
        return Edit(text.start(node), text.end(node), "pass", whole=True)
    start, end = text.line_start(first), text.line_start(last + 1)
    if text_after.strip().startswith("#") and not _FOR_LINTERS.match(text_after.strip()):  # the comment stays
        return Edit(
            text.start(node), text.end(node) + len(text_after) - len(text_after.lstrip()), "", whole=True
        )
    if not text.line(last).endswith(("\n", "\r")):
        end = len(text.text)
    if isinstance(node, ast.Import | ast.ImportFrom):
        return Edit(_with_gap(file, first, last, start), end, "", whole=True)
    return Edit(start, _without_gap(file, first, end, last), "", whole=True)


def _without_gap(file: File, first: int, end: int, last: int) -> int:
    """The end of the removal: blank lines after it go where there are blank lines before it already."""
    text = file.text
    if first > 1 and text.line(first - 1).strip():
        return end
    line = last + 1
    while line <= len(text.starts) and text.line(line) and not text.line(line).strip():
        line += 1
    return max(end, text.line_start(line))


def _with_gap(file: File, first: int, last: int, start: int) -> int:
    """The start of an import's removal: of two blank lines around it one goes, where another import is the next."""
    text = file.text
    blank = first > 1 and not (text.line(first - 1) + text.line(last + 1)).strip()
    lone = blank and text.line(last + 2).startswith(("import ", "from "))
    return text.line_start(first - 1) if lone else start


def _alone(file: File, node: ast.stmt) -> bool:
    parent = file.parent(node)
    return not isinstance(parent, ast.Module) and any(
        isinstance(block, list) and len(block) == 1 and block[0] is node
        for _, block in ast.iter_fields(parent)
    )

"""LibCST's tree of a script, and the text of a tree, which is the script's own where nothing was changed."""

from __future__ import annotations

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

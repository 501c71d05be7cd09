"""LibCST's tree of a script, which gives its text back exactly."""

from __future__ import annotations

import libcst as cst

from tf2towers.source.errors import SourceError
from tf2towers.source.script import Script


def parse_tree(script: Script) -> cst.Module:
    """The concrete syntax tree of a script; SourceError where LibCST takes less than Python does."""
    try:
        return cst.parse_module(script.text)
    except cst.ParserSyntaxError as problem:
        raise SourceError(script.path, f"cannot be parsed: {problem.message}", problem.raw_line) from None
    except RecursionError:
        raise SourceError(script.path, "its expressions are nested too deeply to be parsed") from None

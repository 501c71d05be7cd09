"""Arguments of a call as they are written anew."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from tf2towers.rewrites.files.file_context import parse_expression


def keyword(name: str, code: str) -> cst.Arg:
    """`name=code`."""
    return cst.Arg(
        parse_expression(code),
        keyword=cst.Name(name),
        equal=cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace("")),
    )


def trimmed(args: Sequence[cst.Arg]) -> list[cst.Arg]:
    """Arguments with plain separators where one was taken out."""
    made = []
    for place, arg in enumerate(args):
        if place == len(args) - 1:
            made.append(
                arg.with_changes(
                    comma=cst.MaybeSentinel.DEFAULT, whitespace_after_arg=cst.SimpleWhitespace("")
                )
            )
        elif isinstance(arg.comma, cst.Comma):
            made.append(arg)
        else:
            made.append(arg.with_changes(comma=cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))))
    return made

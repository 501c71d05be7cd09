"""`try` statements whose `except` says the same as their body, once both name what TensorFlow has now."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import libcst as cst

from tf2towers.codemod.changes import Change, Now, Replacement, is_blank
from tf2towers.codemod.nodes import Import, walk
from tf2towers.codemod.program import File

_LAYOUT = (
    cst.BaseParenthesizableWhitespace,
    cst.TrailingWhitespace,
    cst.EmptyLine,
    cst.LeftParen,
    cst.RightParen,
    cst.Semicolon,
)
#: statements that only call TensorFlow, with names
_SMALL = cst.Assign | cst.AugAssign | cst.Expr | cst.Return | Import


def equal_branches(file: File, now: Now) -> Iterator[Change]:
    """What puts the body in the place of a `try` whose handlers have become the same as the body.

    The script chose there between two releases of TensorFlow. The body's calls are all TensorFlow's, so that an error
    in them would come again in the handler.

    Args:
        file: the file.
        now: what the other changes make of a node.
    """
    for node in file.all(cst.Try):
        if node.orelse or node.finalbody or not node.handlers:
            continue
        if any(each.name is not None for each in node.handlers) or not _only_calls_tensorflow(
            file, node.body
        ):
            continue
        bodies = [handler.body for handler in node.handlers]
        if not all(says_the_same(now(node.body), now(each)) for each in bodies):
            continue
        if file.script.conversion is None and any(says_the_same(node.body, each) for each in bodies):
            continue  # the script's own
        yield Replacement(node, _body_alone)


def _body_alone(updated: cst.Try, now: Now) -> Any:
    lines = [*updated.body.body]
    first: Any = lines[0]
    above = [each for each in first.leading_lines if not is_blank(each)]
    lines[0] = first.with_changes(leading_lines=[*updated.leading_lines, *above])
    return cst.FlattenSentinel(lines) if len(lines) > 1 else lines[0]


def _only_calls_tensorflow(file: File, body: cst.BaseSuite) -> bool:
    """True if a block has only simple statements, and calls only TensorFlow; it has no comments at its ends."""
    if not isinstance(body, cst.IndentedBlock) or body.header.comment is not None:
        return False
    if not all(map(is_blank, body.footer)):
        return False
    if not all(
        isinstance(line, cst.SimpleStatementLine) and all(isinstance(each, _SMALL) for each in line.body)
        for line in body.body
    ):
        return False
    calls = (node for node in walk(body) if isinstance(node, cst.Call))
    return all((file.canonical(call.func) or "").startswith("tf.") for call in calls)


def says_the_same(one: Any, other: Any) -> bool:
    """True if two nodes are the same but for white space, comments and brackets."""
    if isinstance(one, cst.CSTNode) and isinstance(other, cst.CSTNode):
        return type(one) is type(other) and all(
            says_the_same(getattr(one, each.name), getattr(other, each.name))
            for each in fields(one)
            if not isinstance(getattr(one, each.name), _LAYOUT)
        )
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        ones, others = ([each for each in many if not isinstance(each, _LAYOUT)] for many in (one, other))
        return len(ones) == len(others) and all(map(says_the_same, ones, others))
    if isinstance(one, _LAYOUT) or isinstance(other, _LAYOUT):
        return True
    return bool(one == other)

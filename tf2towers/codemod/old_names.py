"""What TensorFlow 1.15 calls what an older release called otherwise, and how it takes the arguments."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import libcst as cst

from tf2towers.codemod.nodes import has_star, literal, positional
from tf2towers.codemod.symbols import read_table


class KeywordRename(NamedTuple):
    """An old keyword's new name, and whether compat.v1 in TF 2.21 still takes the old one."""

    new: str
    accepted: bool


@cache
def argument_orders() -> dict[str, tuple[tuple[str, ...], str, str]]:
    """Function -> its arguments in the old order, when a call is known to use that, and what changed."""
    return {
        name: (tuple(order.split(",")), when, note)
        for name, order, when, note, _ in read_table("data/argument_orders.tsv")
    }


def keyword_renames(canonical: str) -> dict[str, KeywordRename]:
    """Old keyword -> its new name, for a function that renamed some."""
    return _keywords().get(canonical, {})


@cache
def _keywords() -> dict[str, dict[str, KeywordRename]]:
    found: dict[str, dict[str, KeywordRename]] = {}
    for name, old, new, accepted in read_table("data/keywords.tsv"):
        found.setdefault(name, {})[old] = KeywordRename(new, accepted == "yes")
    return found


def old_order(
    canonical: str, call: cst.Call, is_list: Callable[[cst.BaseExpression], bool]
) -> tuple[str, ...] | None:
    """Today's keyword for each positional argument, when the call uses the argument order of an old release.

    `tf.concat(0, xs)` gives ("axis", "values"). None when the call is written as TF 2.21's function takes it,
    or when it cannot be said. The keyword is empty for an argument that keeps its position.

    Args:
        is_list: whether an expression is certainly a list, which no axis is.
    """
    order, when, _ = argument_orders().get(canonical, ((), "", ""))
    given = positional(call)
    if not order or not given or len(given) > len(order) or has_star(call):
        return None
    if when in ("first-is-int", "int-or-list-second") and not _is_integer(given[0]):
        if when == "first-is-int" or [*map(is_list, given[:2])] != [False, True]:
            return None
    if when == "last-positional":
        return (*("" for _ in order[:-1]), order[-1]) if len(given) == len(order) else None
    if when == "third-positional":
        return ("", "", *order[2 : len(given)]) if len(given) > 2 else None
    return order[: len(given)]


def _is_integer(node: cst.BaseExpression) -> bool:
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Minus):
        node = node.expression
    return type(literal(node)) is int

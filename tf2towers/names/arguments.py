"""How the arguments of a call have to change: old orders, old keywords, calls that fit plain TF2."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import libcst as cst

from tf2towers.names.tables import PlainCall, read_table


class KeywordRename(NamedTuple):
    """An old keyword's new name, and whether compat.v1 in TF 2.21 still takes the old one."""

    new: str
    accepted: bool


@cache
def _orders() -> dict[str, tuple[tuple[str, ...], str, str]]:
    return {
        name: (tuple(order.split(",")), when, note)
        for name, order, when, note, _ in read_table("argument_orders.tsv")
    }


@cache
def _keywords() -> dict[str, dict[str, KeywordRename]]:
    found: dict[str, dict[str, KeywordRename]] = {}
    for name, old, new, accepted in read_table("keywords.tsv"):
        found.setdefault(name, {})[old] = KeywordRename(new, accepted == "yes")
    return found


def keyword_renames(canonical: str) -> dict[str, KeywordRename]:
    """Old keyword -> its new name, for a function that renamed some."""
    return _keywords().get(canonical, {})


def old_order(canonical: str, call: cst.Call) -> tuple[str, ...] | None:
    """Today's keyword for each positional argument, when the call uses the argument order of an old release.

    `tf.concat(0, xs)` gives ("axis", "values"). None when the call is written as today's function takes it,
    or when it cannot be told.
    """
    order, when, _ = _orders().get(canonical, ((), "", ""))
    positional = [arg for arg in call.args if arg.keyword is None and not arg.star]
    if not order or not positional or len(positional) > len(order):
        return None
    if when in ("first-is-int", "int-or-list-second") and not _is_integer(positional[0].value):
        if when == "first-is-int" or not _list_comes_second(positional):
            return None
    return order[: len(positional)]


def order_note(canonical: str) -> str:
    """What changed in the order of a function's arguments; empty when nothing did."""
    return _orders().get(canonical, ((), "", ""))[2]


def fits(plain: PlainCall, call: cst.Call) -> bool:
    """Whether a call may write the TF2 function, see PlainCall; a call with * or ** never does."""
    if any(arg.star for arg in call.args):
        return False
    keywords = {arg.keyword.value for arg in call.args if arg.keyword is not None}
    return plain.fits(sum(arg.keyword is None for arg in call.args), keywords)


def _is_integer(node: cst.BaseExpression) -> bool:
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Minus):
        node = node.expression
    return isinstance(node, cst.Integer)


def _list_comes_second(positional: list[cst.Arg]) -> bool:
    listed = [isinstance(arg.value, cst.List | cst.Tuple | cst.ListComp) for arg in positional]
    return listed == [False, True]


def is_reordered(canonical: str) -> bool:
    """Whether the function once took its arguments in another order, or under other names that are gone."""
    return canonical in _orders() or any(
        not rename.accepted for rename in keyword_renames(canonical).values()
    )

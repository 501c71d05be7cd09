"""What changed in the arguments of TF1 functions: old orders and old keywords, as tables."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from tf2towers.names.tables import read_table


class KeywordRename(NamedTuple):
    """An old keyword's new name, and whether compat.v1 in TF 2.21 still takes the old one."""

    new: str
    accepted: bool


@cache
def argument_orders() -> dict[str, tuple[tuple[str, ...], str, str]]:
    """Function -> its arguments in the old order, when a call is known to use that, and what changed."""
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


def order_note(canonical: str) -> str:
    """What changed in the order of a function's arguments; empty when nothing did."""
    return argument_orders().get(canonical, ((), "", ""))[2]


def is_reordered(canonical: str) -> bool:
    """Whether the function once took its arguments in another order, or under other names that are gone."""
    return canonical in argument_orders() or any(
        not rename.accepted for rename in keyword_renames(canonical).values()
    )

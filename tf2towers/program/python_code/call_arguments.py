"""Which argument of a call is which."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst


def argument(call: cst.Call, place: int, keyword: str) -> cst.Arg | None:
    """The argument of a call that has a keyword, or stands at a place."""
    for index, given in enumerate(call.args):
        if given.keyword.value == keyword if given.keyword is not None else index == place and not given.star:
            return given
    return None


def value_of_argument(call: cst.Call, place: int, keyword: str) -> cst.BaseExpression | None:
    """The value of that argument."""
    found = argument(call, place, keyword)
    return found.value if found is not None else None


def named(call: cst.Call, order: Sequence[str]) -> list[tuple[str, cst.Arg]]:
    """The arguments of a call with their parameters' names; `order` is the signature's."""
    return [
        (arg.keyword.value if arg.keyword is not None else order[place] if place < len(order) else "", arg)
        for place, arg in enumerate(call.args)
    ]


def is_none(value: cst.BaseExpression | None) -> bool:
    """Whether an argument is `None`, written out."""
    return isinstance(value, cst.Name) and value.value == "None"

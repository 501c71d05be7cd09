"""How the arguments of a call have to change: old orders, old keywords, calls that fit plain TF2."""

from __future__ import annotations

import libcst as cst

from tf2towers.names.argument_tables import argument_orders
from tf2towers.names.tables import PlainCall


def old_order(canonical: str, call: cst.Call) -> tuple[str, ...] | None:
    """Today's keyword for each positional argument, when the call uses the argument order of an old release.

    `tf.concat(0, xs)` gives ("axis", "values"). None when the call is written as today's function takes it,
    or when it cannot be told.
    """
    order, when, _ = argument_orders().get(canonical, ((), "", ""))
    positional = [arg for arg in call.args if arg.keyword is None and not arg.star]
    if not order or not positional or len(positional) > len(order):
        return None
    if when in ("first-is-int", "int-or-list-second") and not _is_integer(positional[0].value):
        if when == "first-is-int" or not _list_comes_second(positional):
            return None
    return order[: len(positional)]


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

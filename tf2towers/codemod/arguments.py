"""How the arguments of a call have to change: the order and the keywords of old releases."""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst
import libcst.matchers as m

from tf2towers.codemod import nodes
from tf2towers.codemod.certainty import is_literal_list
from tf2towers.codemod.changes import Now, Replacement, argument, with_argument
from tf2towers.codemod.program import File
from tf2towers.codemod.symbols import find_replacement, taken_arguments, unserved_arguments
from tf2towers.codemod.tables import argument_orders, keyword_renames

_INTEGER = m.Integer() | m.UnaryOperation(m.Minus(), m.Integer())


def _order_of_call(
    canonical: str, call: cst.Call, is_list: Callable[[cst.BaseExpression], bool]
) -> tuple[str, ...] | None:
    """Today's keyword for each positional argument, when the call uses the argument order of an old release.

    `tf.concat(0, xs)` gives ("axis", "values"). None when the call is written as TF 2.21's function takes it,
    or when it cannot be said. The keyword is empty for an argument that keeps its position.

    Args:
        is_list: whether an expression is certainly a list, which no axis is.
    """
    order, when, _ = argument_orders().get(canonical, ((), "", ""))
    given = nodes.positional(call)
    if not order or not given or len(given) > len(order) or nodes.has_star(call):
        return None
    if when in ("first-is-int", "int-or-list-second") and not m.matches(given[0], _INTEGER):
        if when == "first-is-int" or [*map(is_list, given[:2])] != [False, True]:
            return None
    if when == "last-positional":
        return (*("" for _ in order[:-1]), order[-1]) if len(given) == len(order) else None
    if when == "third-positional":
        return ("", "", *order[2 : len(given)]) if len(given) > 2 else None
    return order[: len(given)]


#: arguments that a function takes after the runtime has patched it
_ALSO_TAKEN = {"tf.uniform_unit_scaling_initializer": ("full_shape",)}
#: what scripts call with `**values` whose names are their own
_TAKE_ANY_NAME = frozenset({"tf.contrib.training.HParams"})


def order_of_old_release(file: File, call: cst.Call) -> tuple[str, ...] | None:
    """Today's keyword for each positional argument of a call in the order of an old release; None where it is not."""
    orders = (
        _order_of_call(name, call, lambda node: is_literal_list(file, node))
        for name in _function_names(file, call)
    )
    return next((order for order in orders if order is not None), None)


def is_written_as_today(file: File, canonical: str, call: cst.Call) -> bool:
    """True if a call of one of TensorFlow's functions needs no change to its arguments, whatever its name means."""
    order = _order_of_call(canonical, call, lambda node: is_literal_list(file, node))
    renamed = keyword_renames().get(canonical, {})
    takes = taken_arguments(canonical)
    if order is not None or takes is None or nodes.has_star(call) or canonical in unserved_arguments():
        return False
    by_place = [word for word in takes if not word.startswith("*")]
    known = {word.lstrip("*") for word in takes} - {*renamed}
    given = map(nodes.keyword_of, nodes.keywords(call))
    return (
        len(nodes.positional(call)) <= len(by_place) and known.issuperset(given) and canonical != "tf.einsum"
    )


def new_keywords(file: File, call: cst.Call) -> dict[cst.Arg, str]:
    """The keywords of a call that TF 2.21 no longer takes, and their new names; none for those without effect."""
    known = keyword_renames()
    renames = next((known[name] for name in _function_names(file, call) if name in known), {})
    return {
        given: renames[word]
        for given in nodes.keywords(call)
        if (word := nodes.keyword_of(given)) in renames
        and (renames[word] or _has_no_effect(file, given.value))
    }


def _function_names(file: File, call: cst.Call) -> tuple[str, str]:
    """The function's name in its own module, which may be another function in TF 2.21, and its public name."""
    return file.names.spelled(call.func) or "", file.called(call)


def _has_no_effect(file: File, value: cst.BaseExpression) -> bool:
    """True if a value need not be computed, because it has no effect: it calls nothing but `tf.constant`."""
    return all(file.called(call) == "tf.constant" for call in nodes.calls_in(value))


def not_taken(file: File, call: cst.Call) -> str | None:
    """The argument that TensorFlow's function does not take, of a call, as a sentence; None if it takes all.

    Such calls are of TF 0.x: of the arguments of TF 1.15's own functions, TF 2's `compat.v1` lacks only some ten.
    """
    canonical = file.called(call)
    for name in _function_names(file, call):
        if name in unserved_arguments():
            return _unserved_argument(file, name, call)
        if name in ("tf.einsum", "tf.linalg.einsum") and _was_a_trace(call):
            term = file.text.of(nodes.positional(call)[0])
            return (
                f"{name}({term}, ...) was the trace of the last two axes in TF 1.15, and is a sum in TF 2.21"
            )
        if name == "tf.reverse" and _has_booleans(nodes.argument(call, 1, "axis")):
            return "TF 0.x's tf.reverse took a boolean for each axis; TF 1.0 and later take True for axis 1"
    found = find_replacement(canonical) if canonical.startswith("tf.") else None
    if found is None or found.kind != "v1":
        return None
    name = found.target.replace("tf.compat.v1.", "tf.")
    takes = taken_arguments(name)
    if takes is None or nodes.has_star(call):
        return None
    takes += _ALSO_TAKEN.get(name, ())
    by_place = [word for word in takes if not word.startswith("*")]
    if (count := len(nodes.positional(call))) > len(by_place):
        return f"{name} takes {len(by_place)} positional arguments in TF 2.21, not {count}"
    renamed = new_keywords(file, call)
    known = {word.lstrip("*") for word in takes}
    for given in nodes.keywords(call):
        if not given.star and renamed.get(given, nodes.keyword_of(given)) not in {*known, ""}:
            return f"{name} takes no argument `{nodes.keyword_of(given)}` in TF 2.21"
    return None


def _has_booleans(given: cst.BaseExpression | None) -> bool:
    if not isinstance(given, cst.List | cst.Tuple):
        return False
    return any(isinstance(nodes.literal(each), bool) for each in nodes.items(given))


def _unserved_argument(file: File, canonical: str, call: cst.Call) -> str | None:
    texts = [each.script.text for each in file.program.all_files]
    for words, place, served in unserved_arguments()[canonical]:
        names, by_place = words.split(","), nodes.positional(call)[place : place + 1]
        values = [*by_place, *(given.value for given in call.args if nodes.keyword_of(given) in names)]
        why = f"`{words.replace(',', '` or `')}`, which its replacement in TF 2.21 does not take"
        if not all(_is_served(value, served) for value in values):
            return f"{canonical} is called with {why}"
        # `**options` of a program that never writes the argument's name do not have it
        hiding = ("*", "**") if any(name in text for name in names for text in texts) else ("*",)
        if canonical not in _TAKE_ANY_NAME and any(given.star in hiding for given in call.args):
            return f"{canonical} is called with arguments that are not written out, maybe with {why}"
    return None


def _is_served(value: cst.BaseExpression, served: str) -> bool:
    return served != "-" and (nodes.is_none(value) or str(nodes.literal(value)) == served)


def _was_a_trace(call: cst.Call) -> bool:
    """True if `tf.einsum` gets a term that reads the same backwards, longer than 'ii': 'ijji', which TF 2 sums up."""
    given = nodes.positional(call)
    if len(given) != 2 or not nodes.is_text(given[0]):
        return False
    term = nodes.literal(given[0]).replace(" ", "")
    twice = any(term.count(axis) == 2 for axis in term)
    return len(term) > 2 and twice and term.isalpha() and term == term[::-1]


def without_argument(call: cst.Call, given: cst.Arg) -> Replacement:
    """Takes an argument out of a call, with the comma before it or, where it is the first argument, after it.

    A comment between the comma and the argument stays, and the comma with it.
    """

    def becomes(updated: cst.Call, now: Now) -> cst.Call:
        args = [*updated.args]
        place = next(at for at, each in enumerate(args) if each is now(given))
        gone = args.pop(place)
        if place and not m.findall(args[place - 1].comma, m.Comment()):
            before = args[place - 1]
            args[place - 1] = before.with_changes(
                comma=gone.comma, whitespace_after_arg=gone.whitespace_after_arg
            )
        return updated.with_changes(args=args)

    return Replacement(call, becomes, given)


def added_argument(call: cst.Call, added: str) -> Replacement:
    """Adds a keyword argument after the last argument of a call that has some, unless the call has it by now."""
    new = argument(added)

    def becomes(updated: cst.Call, now: Now) -> cst.Call:
        if nodes.keyword_of(new) in map(nodes.keyword_of, updated.args):
            return updated
        return updated.with_changes(args=with_argument(updated.args, new))

    return Replacement(call, becomes, call.args[-1])

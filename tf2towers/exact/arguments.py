"""How the arguments of a call have to change: the order and the keywords of old releases."""

from __future__ import annotations

import ast

from tf2towers.exact.file import File
from tf2towers.exact.lookup import find_replacement, taken_arguments, unserved_arguments
from tf2towers.names import old_names
from tf2towers.names.meanings import Assigned
from tf2towers.names.old_names import keyword_renames
from tf2towers.source.nodes import has_star


def old_order(file: File, call: ast.Call) -> tuple[str, ...] | None:
    """Today's keyword for each positional argument of a call in the order of an old release; None where it is not."""
    shown = _with_lists_shown(file, call)
    orders = (old_names.old_order(name, shown) for name in _names(file, call))
    return next((order for order in orders if order is not None), None)


def _with_lists_shown(file: File, call: ast.Call) -> ast.Call:
    """The call with a list in the place of each name that stands for lists alone: `tf.concat(axis, parts)`.

    So its second argument is seen to be what is joined, for no axis is a list.
    """
    given = [
        ast.List(elts=[]) if isinstance(argument, ast.Name) and _is_a_list(file, argument) else argument
        for argument in call.args
    ]
    return ast.Call(func=call.func, args=given, keywords=call.keywords)


def _is_a_list(file: File, name: ast.Name) -> bool:
    bindings = file.meanings.bindings(name)
    return bool(bindings) and all(
        isinstance(binding, Assigned) and isinstance(binding.value, ast.List | ast.ListComp)
        for binding in bindings
    )


def new_keywords(file: File, call: ast.Call) -> dict[ast.keyword, str]:
    """The keywords of a call that TF 2.21 no longer takes, and their new names; none for what says nothing any more."""
    renames = next(filter(None, map(keyword_renames, _names(file, call))), None)
    if renames is None:
        return {}
    return {
        keyword: renames[keyword.arg].new
        for keyword in call.keywords
        if keyword.arg in renames
        and not renames[keyword.arg].accepted
        and (renames[keyword.arg].new or _does_nothing(file, keyword.value))
    }


def _names(file: File, call: ast.Call) -> tuple[str, str]:
    """The function's name in the module it is taken from, which may be another function today, and its public one."""
    return file.spelled(call.func) or "", file.canonical(call.func) or ""


def _does_nothing(file: File, value: ast.expr) -> bool:
    """Whether nothing is missed where a value is not computed: no calls, but of `tf.constant`."""
    return all(
        file.canonical(node.func) == "tf.constant" for node in ast.walk(value) if isinstance(node, ast.Call)
    )


def resizes_by_two(file: File, call: ast.Call) -> bool:
    """Whether a call of `tf.image.resize_images` may be one of TF 0.x: (images, height, width).

    By their text, (images, height, width) and (images, size, method) are often the same.
    """
    if file.canonical(call.func) != "tf.image.resize_images":
        return False
    if any(keyword.arg in ("new_height", "new_width") for keyword in call.keywords):
        return True
    if len(call.args) < 3 or has_star(call):
        return False
    size, third = call.args[1:3]
    is_list = isinstance(size, ast.List | ast.Tuple | ast.ListComp)
    is_method = (isinstance(third, ast.Name) and third.id == "method") or (
        isinstance(third, ast.Attribute) and "ResizeMethod" in ast.unparse(third)
    )
    return not is_list and not is_method


def not_taken(file: File, call: ast.Call) -> str | None:
    """What a call gives to a function of TensorFlow's that takes no such argument, in words; None where it takes all.

    Such a call is of TF 0.x: of what TF 1.15's own functions took, TF 2's `compat.v1` lacks some ten arguments.
    """
    canonical = file.canonical(call.func) or ""
    for name in _names(file, call):
        if name in unserved_arguments():
            return _not_served(name, call)
        if name in ("tf.einsum", "tf.linalg.einsum") and _was_a_trace(call):
            term = ast.unparse(call.args[0])
            return (
                f"{name}({term}, ...) was the trace of the last two axes in TF 1.15, and is a sum in TF 2.21"
            )
    found = find_replacement(canonical) if canonical.startswith("tf.") else None
    if found is None or found.kind != "v1" or resizes_by_two(file, call) or has_old_arguments(file, call):
        return None
    name = found.target.replace("tf.compat.v1.", "tf.")
    takes = taken_arguments(name)
    if takes is None or has_star(call):
        return None
    by_place = [word for word in takes if not word.startswith("*")]
    if len(call.args) > len(by_place):
        return f"{name} takes {len(by_place)} arguments by place in TF 2.21, not {len(call.args)}"
    renamed = new_keywords(file, call)
    known = {word.lstrip("*") for word in takes}
    for keyword in call.keywords:
        if keyword.arg is not None and renamed.get(keyword, keyword.arg) not in {*known, ""}:
            return f"{name} takes no argument `{keyword.arg}` in TF 2.21"
    return None


def _not_served(canonical: str, call: ast.Call) -> str | None:
    name, place = unserved_arguments()[canonical]
    values = [*call.args[place : place + 1], *(word.value for word in call.keywords if word.arg == name)]
    if all(isinstance(value, ast.Constant) and value.value is None for value in values):
        return None
    return f"{canonical} is called with `{name}`, which what stands for it today does not take"


def _was_a_trace(call: ast.Call) -> bool:
    """Whether `tf.einsum` gets a term that reads the same backwards, longer than 'ii': 'ijji', which TF 2 sums up."""
    match call.args:
        case [ast.Constant(value=str(term)), _]:
            term = term.replace(" ", "")
            twice = any(term.count(axis) == 2 for axis in term)
            return len(term) > 2 and twice and term.isalpha() and term == term[::-1]
    return False


def has_old_arguments(file: File, call: ast.Call) -> str | None:
    """The function of a call that our runtime has for the arguments of TF1 and TF 0.x; None for any other call.

    So are `inputs` before `labels`, where the program may be of TF 0.x, the `full_shape` of an initializer, what
    `tf.tuple` waits for, and a crop of an image to [height, width].
    """
    name = (file.canonical(call.func) or "").rpartition(".")[2]
    match file.canonical(call.func):
        case "tf.nn.nce_loss" | "tf.nn.sampled_softmax_loss" if len(call.args) > 3:
            starred = any(isinstance(argument, ast.Starred) for argument in call.args[:4])
            return name if file.program.may_be_of_tf0 and not starred else None
        case "tf.image.random_crop":
            return name if _may_leave_the_channels_out(call) else None
        case "tf.uniform_unit_scaling_initializer":
            given = len(call.args) > 3 or any(keyword.arg == "full_shape" for keyword in call.keywords)
            return name if given else None
        case "tf.tuple":
            given = len(call.args) > 2 or any(keyword.arg == "control_inputs" for keyword in call.keywords)
            return "waiting_tuple" if given else None
    return None


def _may_leave_the_channels_out(call: ast.Call) -> bool:
    """Whether a crop is to two numbers, which TensorFlow 0.6 took for [height, width]."""
    sizes = [*call.args[1:2], *(word.value for word in call.keywords if word.arg == "size")]
    return not has_star(call) and any(
        isinstance(size, ast.List | ast.Tuple) and len(size.elts) == 2 for size in sizes
    )


def reversed_axes(file: File, call: ast.Call) -> list[int] | None:
    """The axes that `tf.reverse(x, [False, True])` reverses, which TF 1.0 and later refuse; None for any other call."""
    if (
        file.canonical(call.func) != "tf.reverse"
        or len(call.args) != 2
        or not isinstance(call.args[1], ast.List)
    ):
        return None
    chosen = [part.value if isinstance(part, ast.Constant) else None for part in call.args[1].elts]
    if not chosen or any(not isinstance(value, bool) for value in chosen):
        return None
    return [axis for axis, value in enumerate(chosen) if value]

"""How the arguments of a call have to change: the order and the keywords of old releases."""

from __future__ import annotations

import ast

from tf2towers.exact.file import File
from tf2towers.names import old_names
from tf2towers.names.old_names import keyword_renames


def old_order(file: File, call: ast.Call) -> tuple[str, ...] | None:
    """Today's keyword for each positional argument of a call in the order of an old release; None where it is not."""
    return old_names.old_order(file.canonical(call.func) or "", call)


def new_keywords(file: File, call: ast.Call) -> dict[ast.keyword, str]:
    """The keywords of a call that TF 2.21 no longer takes, and their new names."""
    renames = keyword_renames(file.canonical(call.func) or "")
    if not renames:
        return {}
    return {
        keyword: renames[keyword.arg].new
        for keyword in call.keywords
        if keyword.arg in renames and not renames[keyword.arg].accepted
    }


def resizes_by_two(file: File, call: ast.Call) -> bool:
    """Whether a call of `tf.image.resize_images` may be one of TF 0.x: (images, height, width).

    By their text, (images, height, width) and (images, size, method) are often the same.
    """
    if file.canonical(call.func) != "tf.image.resize_images":
        return False
    if any(keyword.arg in ("new_height", "new_width") for keyword in call.keywords):
        return True
    if len(call.args) < 3 or any(isinstance(argument, ast.Starred) for argument in call.args):
        return False
    size, third = call.args[1:3]
    is_list = isinstance(size, ast.List | ast.Tuple | ast.ListComp)
    is_method = (isinstance(third, ast.Name) and third.id == "method") or (
        isinstance(third, ast.Attribute) and "ResizeMethod" in ast.unparse(third)
    )
    return not is_list and not is_method

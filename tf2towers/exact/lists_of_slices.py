"""`array[[slice(0, 2), slice(None)]]`: NumPy 1.23 takes such a list for places, where it was a tuple."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tf2towers.exact.edits import Edit
from tf2towers.exact.file import File
from tf2towers.names.meanings import Assigned


def as_tuples(file: File) -> Iterator[Edit]:
    """A tuple around each index that is such a list; of a tuple it makes none, and a tensor takes either."""
    if {"tuple", "slice"} & file.bound_names:
        return
    appended = set(_given_slices(file))
    for subscript in file.all(ast.Subscript):
        index = subscript.slice
        if _is_list_of_slices(index) or (
            isinstance(index, ast.Name) and _is_bound_to_one(file, index, appended)
        ):
            yield file.replace(index, f"tuple({file.text.of(index)})")


def _is_bound_to_one(file: File, name: ast.Name, appended: set[str]) -> bool:
    bindings = file.meanings.bindings(name)
    values = [binding.value for binding in bindings if isinstance(binding, Assigned)]
    if len(values) < len(bindings) or not all(map(_is_sequence, values)):
        return False  # a number at times, of which there is no tuple
    return any(
        _is_list_of_slices(value) or (name.id in appended and isinstance(value, ast.List)) for value in values
    )


def _is_sequence(value: ast.expr) -> bool:
    return isinstance(value, ast.List | ast.ListComp | ast.Tuple) or _is_list_of_slices(value)


def _given_slices(file: File) -> Iterator[str]:
    """The names of lists that are given a slice: `places.append(slice(2))`."""
    for call in file.all(ast.Call):
        if isinstance(call.func, ast.Attribute) and call.func.attr in ("append", "insert"):
            if isinstance(call.func.value, ast.Name) and any(map(_is_slice, call.args)):
                yield call.func.value.id


def _is_list_of_slices(value: ast.expr) -> bool:
    match value:
        case ast.List():
            return any(map(_is_slice, value.elts))
        case ast.ListComp():
            return _is_slice(value.elt)
        case ast.BinOp(op=ast.Mult() | ast.Add()):
            return _is_list_of_slices(value.left) or _is_list_of_slices(value.right)
    return False


def _is_slice(value: ast.expr) -> bool:
    match value:
        case ast.IfExp():
            return _is_slice(value.body) or _is_slice(value.orelse)
        case ast.Call(func=ast.Name(id="slice")):
            return True
        case ast.Constant():
            return value.value is Ellipsis
    return False

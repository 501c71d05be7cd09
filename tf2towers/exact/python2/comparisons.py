"""What Python 3 asks instead of `__cmp__`: a method for each comparison."""

from __future__ import annotations

import ast

_OPERATORS = {"__lt__": "<", "__le__": "<=", "__gt__": ">", "__ge__": ">=", "__eq__": "==", "__ne__": "!="}
#: what Python asks of the other object first, in both versions, before it would ask `__cmp__`
_REFLECTED = {"__lt__": "__gt__", "__le__": "__ge__", "__gt__": "__lt__", "__ge__": "__le__"}


def methods_for_cmp(kind: ast.ClassDef, cmp: ast.FunctionDef) -> list[str] | None:
    """The lines that a class needs beside its `__cmp__`; None where another class or object may have a say.

    A method that the class has for a comparison, or for its reflection, came before `__cmp__` in Python 2 as well. The
    other object has to be of the kind: one without the attributes that are asked of it was an error in Python 2, too.
    """
    is_new = [ast.unparse(base) for base in kind.bases] == ["object"]
    arguments = [argument.arg for argument in cmp.args.args]
    plain = (is_new or not kind.bases) and not (kind.keywords or kind.decorator_list or cmp.decorator_list)
    if not plain or len(arguments) != 2 or not _only_attributes(cmp, arguments[1]):
        return None
    own = _names_of(kind)
    made = []
    for name, operator in _OPERATORS.items():
        if name not in own and _REFLECTED.get(name) not in own:
            made += ["", f"def {name}(self, other):", f"    return self.__cmp__(other) {operator} 0"]
    if is_new and "__hash__" not in own:  # Python 3 takes it away where there is an __eq__
        made += ["", "__hash__ = object.__hash__"]
    return made


def _names_of(kind: ast.ClassDef) -> set[str]:
    """What the class certainly or perhaps has of its own."""
    names = {node.name for node in ast.walk(kind) if isinstance(node, ast.FunctionDef)}
    return names | {node.id for node in ast.walk(kind) if isinstance(node, ast.Name)}


def _only_attributes(cmp: ast.FunctionDef, other: str) -> bool:
    """Whether all that is done with the other object is to ask for attributes of it, or to assert its kind."""
    asked: list[ast.AST] = [node.value for node in ast.walk(cmp) if isinstance(node, ast.Attribute)]
    for node in ast.walk(cmp):
        if isinstance(node, ast.Assert) and ast.unparse(node.test).startswith("isinstance("):
            asked += ast.walk(node.test)
    uses = [node for node in ast.walk(cmp) if isinstance(node, ast.Name) and node.id == other]
    return bool(uses) and all(any(use is value for value in asked) for use in uses)

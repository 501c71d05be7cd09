"""Which expressions of a file certainly are dicts: by how they are written, or by all that binds their name."""

from __future__ import annotations

import ast

#: calls that give a dict
_MAKES = frozenset({"dict", "vars", "locals", "globals"})
_OF_COLLECTIONS = frozenset({"OrderedDict", "defaultdict"})


class Dicts:
    """The dicts of one file."""

    def __init__(self, tree: ast.Module) -> None:
        seen: dict[str, list[bool]] = {}
        understood: set[int] = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign | ast.AnnAssign):
                for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                    for name, value in _pairs(target, node.value):
                        seen.setdefault(name.id, []).append(_is_written_as_dict(value))
                        understood.add(id(name))
            elif isinstance(node, ast.arguments) and node.kwarg is not None:
                seen.setdefault(node.kwarg.arg, []).append(True)
                understood.add(id(node.kwarg))
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.Name)
                and not isinstance(node.ctx, ast.Load)
                and id(node) not in understood
            ):
                seen.setdefault(node.id, []).append(False)
            elif isinstance(node, ast.arg) and id(node) not in understood:
                seen.setdefault(node.arg, []).append(False)
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                seen.setdefault(node.name, []).append(False)
            elif isinstance(node, ast.alias):
                seen.setdefault((node.asname or node.name).partition(".")[0], []).append(False)
        self._names = frozenset(name for name, values in seen.items() if all(values))

    def is_dict(self, node: ast.expr) -> bool:
        """Whether an expression is a dict, whatever happens."""
        if isinstance(node, ast.Name):
            return node.id in self._names
        return _is_written_as_dict(node)


def _pairs(target: ast.expr, value: ast.expr | None) -> list[tuple[ast.Name, ast.expr | None]]:
    """The names that an assignment binds to values that are seen: `a, b = {}, {}`."""
    if isinstance(target, ast.Name):
        return [(target, value)]
    if isinstance(target, ast.Tuple | ast.List) and isinstance(value, ast.Tuple | ast.List):
        if len(target.elts) == len(value.elts) and not any(
            isinstance(element, ast.Starred) for element in target.elts
        ):
            return [
                (bound, element)
                for bound, element in zip(target.elts, value.elts, strict=True)
                if isinstance(bound, ast.Name)
            ]
    return []


def _is_written_as_dict(node: ast.expr | None) -> bool:
    if isinstance(node, ast.Dict | ast.DictComp):
        return True
    if isinstance(node, ast.Attribute):
        return node.attr == "__dict__"
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Name):
            return node.func.id in _MAKES | _OF_COLLECTIONS
        return isinstance(node.func, ast.Attribute) and node.func.attr in _OF_COLLECTIONS
    return False

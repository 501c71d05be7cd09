"""`Module`: a file of a program as Python 3 reads it, before anybody knows whether it is Python 2."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tf2towers.source.nodes import Function, bound_by, dotted, module_of

#: calls that give a dict
_DICTS = frozenset({"dict", "vars", "locals", "globals"})
_OF_COLLECTIONS = frozenset({"OrderedDict", "defaultdict"})


@dataclass(frozen=True, eq=False)
class Module:
    """A file of a program that is always imported, and the local modules that it imports, by the name it uses."""

    tree: ast.Module
    local: Mapping[str, Path]
    path: Path

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """All that is in it, a node before its parts."""
        return list(ast.walk(self.tree))

    @cached_property
    def bindings(self) -> dict[str, list[ast.AST]]:
        """What binds each name, in whatever scope."""
        return bindings(self.nodes)

    @cached_property
    def libraries(self) -> dict[str, str]:
        """What its imports call modules that are not the program's own, by names that nothing else gets."""
        found = {name: {_module(binding) for binding in given} for name, given in self.bindings.items()}
        alone = {name: modules.pop() for name, modules in found.items() if len(modules) == 1}
        return {name: module for name, module in alone.items() if module and module not in self.local}

    def imported_from(self, node: ast.ImportFrom) -> Path | None:
        """The local module that a `from` statement takes names of."""
        return self.local.get(module_of(node))

    def is_dict(self, node: ast.AST) -> bool:
        """Whether an expression certainly is a dict: by how it is written, or by all that binds its name."""
        if isinstance(node, ast.Name):
            return node.id in self._dicts
        return _is_written_as_dict(node)

    @cached_property
    def _dicts(self) -> frozenset[str]:
        return frozenset(
            name for name, given in self.bindings.items() if all(map(_is_written_as_dict, given))
        )


def bindings(nodes: Iterable[ast.AST]) -> dict[str, list[ast.AST]]:
    """Name, or attribute (`self.x`) -> what binds it: each value that is assigned, where it is seen.

    Else it is the alias of an `import`, the whole of a `from` statement, a definition, a parameter, or the name itself.
    """
    found: dict[str, list[ast.AST]] = {}
    known: set[ast.AST] = set()
    for node in nodes:
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.withitem):
            for target, value in _assigned(node):
                found.setdefault(dotted(target) or "", []).append(value)
                known.add(target)
        elif isinstance(node, ast.arguments) and node.kwarg is not None:
            found.setdefault(node.kwarg.arg, []).append(ast.Dict([], []))
            known.add(node.kwarg)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                found.setdefault(bound_by(alias), []).append(alias)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                found.setdefault(bound_by(alias), []).append(node)
        elif isinstance(node, Function | ast.ClassDef):
            found.setdefault(node.name, []).append(node)
        elif node not in known:
            if isinstance(node, ast.arg):
                found.setdefault(node.arg, []).append(node)
            elif isinstance(node, ast.Name | ast.Attribute) and not isinstance(node.ctx, ast.Load):
                found.setdefault(dotted(node) or "", []).append(node)
    return found


def _assigned(node: ast.Assign | ast.AnnAssign | ast.withitem) -> Iterator[tuple[ast.expr, ast.expr]]:
    """The names and attributes that get values which are seen: `a, b = {}, {}`."""
    value = node.context_expr if isinstance(node, ast.withitem) else node.value
    if isinstance(node, ast.Assign):
        targets = node.targets
    else:
        targets = [node.target] if isinstance(node, ast.AnnAssign) else [*filter(None, [node.optional_vars])]
    for target in targets:
        if isinstance(target, ast.Name | ast.Attribute) and value is not None:
            yield target, value
        elif isinstance(target, ast.Tuple | ast.List) and isinstance(value, ast.Tuple | ast.List):
            starred = any(isinstance(element, ast.Starred) for element in (*target.elts, *value.elts))
            if len(target.elts) == len(value.elts) and not starred:
                for element, own in zip(target.elts, value.elts, strict=True):
                    if isinstance(element, ast.Name | ast.Attribute):
                        yield element, own


def _module(binding: ast.AST) -> str:
    """The module that an `import` binds a name to; empty for anything else."""
    if not isinstance(binding, ast.alias):
        return ""
    return binding.name if binding.asname else bound_by(binding)


def _is_written_as_dict(node: ast.AST) -> bool:
    if isinstance(node, ast.Attribute):
        return node.attr == "__dict__" and isinstance(node.ctx, ast.Load)
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Name):
            return node.func.id in _DICTS | _OF_COLLECTIONS
        return isinstance(node.func, ast.Attribute) and node.func.attr in _OF_COLLECTIONS
    return isinstance(node, ast.Dict | ast.DictComp)

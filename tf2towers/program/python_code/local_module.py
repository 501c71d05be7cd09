"""A module beside the script: its functions and classes, and what its names stand for."""

from __future__ import annotations

import ast
from pathlib import Path

from tf2towers.names.canonical import canonical_name
from tf2towers.source.nodes import dotted as dotted_name


class LocalModule:
    """One parsed module: its functions and classes, and what its names stand for."""

    def __init__(self, name: str, path: Path, tree: ast.Module) -> None:
        self.name = name
        self.path = path
        self.tree = tree
        self.definitions: dict[str, ast.AST] = {}
        self.aliases: dict[str, str] = {}
        self.star_imports: list[str] = []
        package = name if path.name == "__init__.py" else name.rpartition(".")[0]
        for node in ast.walk(tree):
            self._bind(node, package)
        for node in tree.body:
            self._define(node)

    def _bind(self, node: ast.AST, package: str) -> None:
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.asname:
                    self.aliases[alias.asname] = alias.name
                else:
                    root = alias.name.split(".")[0]
                    self.aliases[root] = root
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parts = package.split(".") if package else []
                kept = parts[: len(parts) - node.level + 1] if node.level > 1 else parts
                base = ".".join([*kept, *([node.module] if node.module else [])])
            for alias in node.names:
                if alias.name == "*":
                    self.star_imports.append(base)
                else:
                    self.aliases[alias.asname or alias.name] = f"{base}.{alias.name}" if base else alias.name

    def _define(self, node: ast.stmt) -> None:
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
            self.definitions[node.name] = node
            if isinstance(node, ast.FunctionDef):
                self._define_inside(node, node.name)
        elif (
            isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name)
        ):
            dotted = dotted_name(node.value)
            if dotted is not None and dotted.split(".")[0] in self.aliases:
                self.aliases[node.targets[0].id] = self.resolve(dotted)
        elif isinstance(node, ast.If | ast.Try | ast.With):
            for inner in ast.iter_child_nodes(node):
                if isinstance(inner, ast.stmt):
                    self._define(inner)

    def _define_inside(self, function: ast.AST, name: str) -> None:
        """Functions in a function, under their qualified names (PEP 3155): `main.<locals>.weights`."""
        for node in ast.iter_child_nodes(function):
            if isinstance(node, ast.FunctionDef):
                self.definitions[f"{name}.<locals>.{node.name}"] = node
            elif isinstance(node, ast.With | ast.If):
                self._define_inside(node, name)

    def targets(self) -> set[str]:
        """The dotted names that the module's imports stand for."""
        return {*self.aliases.values(), *self.star_imports}

    def resolve(self, dotted: str) -> str:
        """The canonical dotted name of a name in this module."""
        head, _, rest = dotted.partition(".")
        target = self.aliases.get(head)
        if target is None:
            return dotted
        return canonical_name(f"{target}.{rest}" if rest else target)

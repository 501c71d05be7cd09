"""Which names a file uses and how often, counted on the standard `ast`: one fast walk."""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import dataclass, field


@dataclass
class NameCounts:
    """Identifiers of a file.

    `plain` are the names that a new one must keep clear of (attributes and keywords are no matter); `uses` counts every
    occurrence outside import statements, `imports` those in them.
    """

    plain: set[str] = field(default_factory=set)
    uses: Counter[str] = field(default_factory=Counter)
    imports: Counter[str] = field(default_factory=Counter)

    def total(self, name: str) -> int:
        """How often a name occurs at all."""
        return self.uses[name] + self.imports[name]


def count_names(tree: ast.AST) -> NameCounts:
    """The counts of a module."""
    counts = NameCounts()
    for node in ast.walk(tree):
        if isinstance(node, ast.alias):
            for word in [*node.name.split("."), *([node.asname] if node.asname else [])]:
                counts.imports[word] += 1
                counts.plain.add(word)
            continue
        name = _identifier(node)
        if name is None:
            continue
        counts.uses[name] += 1
        if not isinstance(node, ast.Attribute | ast.keyword):
            counts.plain.add(name)
    return counts


def _identifier(node: ast.AST) -> str | None:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.arg | ast.keyword):
        return node.arg
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.ExceptHandler):
        return node.name
    return None

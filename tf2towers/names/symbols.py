"""`Names`: the canonical dotted name of any Name or Attribute of a script that LibCST has parsed.

TensorFlow names come out rooted at `tf`, whichever way they were imported: `tensorflow.compat.v1`, bare
`tensorflow`, `from tensorflow import Session`, `import tensorflow.contrib.slim as slim`, `t = tf`.
"""

from __future__ import annotations

import ast
import io
from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst
from libcst.metadata import CodeRange, MetadataWrapper, PositionProvider

from tf2towers.names.meanings import Defined, Imported, Meanings
from tf2towers.source.nodes import bound_by

#: line, column, last line, column after it; columns in characters
Span = tuple[int, int, int, int]


class Names:
    """What every name of one module means: its `Meanings`, asked with LibCST's nodes, found by their places."""

    def __init__(self, wrapper: MetadataWrapper) -> None:
        text = wrapper.module.code
        self._lines = list(io.StringIO(text, newline=""))  # Python's lines: no form feed ends one
        self._meanings = Meanings(ast.parse(text))
        self._positions = wrapper.resolve(PositionProvider)
        named = (node for node in self._meanings.nodes if isinstance(node, ast.Name | ast.Attribute))
        self._nodes = {self._span(node): node for node in named}

    def canonical(self, node: cst.BaseExpression) -> str | None:
        """The canonical dotted name of a Name or Attribute; None when it is neither, or not known."""
        found = self._found(node)
        if found is None:
            return None
        return self._meanings.canonical(found) or self._inner_function(found)

    def spelled(self, node: cst.BaseExpression) -> bool:
        """Whether the node names its symbol by imports alone (`tf.train.Saver`), not through `t = tf`."""
        found: ast.AST | None = self._found(node)
        while isinstance(found, ast.Attribute):
            found = found.value
        bindings = self._meanings.bindings(found) if isinstance(found, ast.Name) else []
        return bool(bindings) and all(isinstance(binding, Imported) for binding in bindings)

    def imports(self, name: str) -> bool:
        """Whether the module binds a name by import, at any depth, star imports left out."""
        statements = (node for node in self._meanings.nodes if isinstance(node, ast.Import | ast.ImportFrom))
        return any(bound_by(alias) == name for statement in statements for alias in statement.names)

    def _inner_function(self, node: ast.Name | ast.Attribute) -> str | None:
        """The qualified name, as `f.<locals>.g`, of what stands for a function or class within another."""
        bindings = self._meanings.bindings(node) if isinstance(node, ast.Name) else []
        if len(bindings) != 1 or not isinstance(bindings[0], Defined) or bindings[0].node.name == "tf":
            return None
        name, around = bindings[0].node.name, self._meanings.parents[bindings[0].node]
        while around is not self._meanings.module.node:
            if isinstance(around, ast.ClassDef):
                name = f"{around.name}.{name}"
            elif isinstance(around, ast.FunctionDef | ast.AsyncFunctionDef):
                name = f"{around.name}.<locals>.{name}"
            around = self._meanings.parents[around]
        return name

    def _found(self, node: cst.CSTNode) -> ast.Name | ast.Attribute | None:
        """Python's own node for one of LibCST's; None for what is no name, or was made later."""
        place = self._positions.get(node) if isinstance(node, cst.Name | cst.Attribute) else None
        if not isinstance(place, CodeRange):
            return None
        start, end = place.start, place.end
        return self._nodes.get((start.line, start.column, end.line, end.column))

    def _span(self, node: ast.expr) -> Span:
        assert node.end_lineno is not None and node.end_col_offset is not None
        start = self._column(node.lineno, node.col_offset)
        return node.lineno, start, node.end_lineno, self._column(node.end_lineno, node.end_col_offset)

    def _column(self, line: int, offset: int) -> int:
        """The column in characters of one in bytes of UTF-8, as Python counts it."""
        text = self._lines[line - 1] if line <= len(self._lines) else ""
        return offset if text.isascii() else len(text.encode("utf-8")[:offset].decode("utf-8", "ignore"))


# -- what LibCST's import statements bind -----------------------------------------------------------------------------


@dataclass(frozen=True)
class ImportedName:
    """One name bound by an import: `bound` in the script stands for the dotted name `target`."""

    bound: str
    target: str
    node: cst.Import | cst.ImportFrom
    alias: cst.ImportAlias


def dotted(node: cst.CSTNode | None) -> str | None:
    """`a.b.c` for a Name or a chain of Attributes, None for anything else."""
    parts: list[str] = []
    while isinstance(node, cst.Attribute):
        parts.append(node.attr.value)
        node = node.value
    if not isinstance(node, cst.Name):
        return None
    parts.append(node.value)
    return ".".join(reversed(parts))


def imported_names(node: cst.Import | cst.ImportFrom) -> Iterator[ImportedName]:
    """The names an import statement binds; nothing for a star import."""
    prefix = module_of(node) if isinstance(node, cst.ImportFrom) else ""
    if isinstance(node.names, cst.ImportStar):
        return
    for alias in node.names:
        name = dotted(alias.name) or ""
        target = name if not prefix else prefix + name if prefix.endswith(".") else f"{prefix}.{name}"
        if alias.asname is not None:
            if isinstance(alias.asname.name, cst.Name):
                yield ImportedName(alias.asname.name.value, target, node, alias)
        elif isinstance(node, cst.Import):
            root = name.partition(".")[0]
            yield ImportedName(root, root, node, alias)
        else:
            yield ImportedName(name, target, node, alias)


def module_of(node: cst.ImportFrom) -> str:
    """The module of `from MODULE import ...`, with the leading dots of a relative one."""
    return "." * len(node.relative) + (dotted(node.module) or "")

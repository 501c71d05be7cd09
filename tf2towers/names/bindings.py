"""Which names a module binds by import or by plain assignment, read from the statements alone.

LibCST's scope analysis says *where* a name was assigned; it does not say *to what*. The walk here visits
statements only, never the expressions in them, so it costs next to nothing beside the scope analysis.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import libcst as cst


@dataclass(frozen=True)
class ImportedName:
    """One name bound by an import: `bound` in the script stands for the dotted name `target`."""

    bound: str
    target: str
    node: cst.Import | cst.ImportFrom
    alias: cst.ImportAlias


@dataclass
class Bindings:
    """Imports and simple aliases of one module."""

    imports: list[ImportedName] = field(default_factory=list)
    star_imports: list[str] = field(default_factory=list)
    #: target Name node -> the Name or Attribute it was assigned
    aliases: dict[cst.CSTNode, cst.BaseExpression] = field(default_factory=dict)


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


def read_bindings(module: cst.Module) -> Bindings:
    """Every import and every `name = other.name` of a module, at any depth."""
    found = Bindings()
    for small in _small_statements(module.body):
        if isinstance(small, cst.Import):
            found.imports.extend(imported_names(small))
        elif isinstance(small, cst.ImportFrom):
            if isinstance(small.names, cst.ImportStar):
                found.star_imports.append(module_of(small))
            else:
                found.imports.extend(imported_names(small))
        elif isinstance(small, cst.Assign):
            for target in small.targets:
                _record_alias(target.target, small.value, found.aliases)
        elif isinstance(small, cst.AnnAssign) and small.value is not None:
            _record_alias(small.target, small.value, found.aliases)
    return found


def _record_alias(
    target: cst.BaseExpression, value: cst.BaseExpression, aliases: dict[cst.CSTNode, cst.BaseExpression]
) -> None:
    if isinstance(target, cst.Name):
        if isinstance(value, cst.Name | cst.Attribute):
            aliases[target] = value
    elif isinstance(target, cst.Tuple | cst.List) and isinstance(value, cst.Tuple | cst.List):
        if len(target.elements) != len(value.elements):
            return
        for left, right in zip(target.elements, value.elements, strict=True):
            if isinstance(left, cst.StarredElement) or isinstance(right, cst.StarredElement):
                return
        for left, right in zip(target.elements, value.elements, strict=True):
            _record_alias(left.value, right.value, aliases)


def _small_statements(body: Iterable[cst.CSTNode]) -> Iterator[cst.BaseSmallStatement]:
    pending = list(body)
    while pending:
        node = pending.pop()
        if isinstance(node, cst.SimpleStatementLine | cst.SimpleStatementSuite):
            yield from node.body
            continue
        for attribute in ("body", "orelse", "finalbody"):
            inner = getattr(node, attribute, None)
            if isinstance(inner, cst.CSTNode):
                pending.append(inner)
            elif inner:
                pending.extend(inner)
        pending.extend(getattr(node, "handlers", ()))
        if isinstance(node, cst.Match):
            pending.extend(node.cases)

"""One whole file rewritten: its symbols, and its imports brought up to date."""

from __future__ import annotations

import libcst as cst

from tf2towers.exact.place import wrapped
from tf2towers.names.canonical import canonical_name
from tf2towers.names.symbols import imported_names
from tf2towers.names.tables import RuntimeName, lookup
from tf2towers.program.python_code.search import assigned_name, code_of, find_all, only_small
from tf2towers.rewrites.expressions.tensorflow_symbols import SymbolRewriter
from tf2towers.rewrites.files.file_context import FileContext, parse_statement

_BEHAVIOR = frozenset({"tf.disable_v2_behavior", "tf.disable_eager_execution"})
_ROOTS = ("tensorflow", "tensorflow.compat.v1")


class ModuleRewriter(SymbolRewriter):
    """Rewrites symbols and imports of a file; `tensorflow` is the module that `tf` is imported from afterwards."""

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement] | cst.RemovalSentinel:
        left = super().leave_SimpleStatementLine(original_node, updated_node)
        if not isinstance(left, cst.SimpleStatementLine):
            return left
        updated_node = left
        if len(original_node.body) == 1:
            small = original_node.body[0]
            if isinstance(small, cst.Expr) and isinstance(small.value, cst.Call):
                if self.names.canonical(small.value.func) in _BEHAVIOR:
                    return cst.RemoveFromParent()
            if isinstance(small, cst.Import | cst.ImportFrom):
                return self._import(small, updated_node)
            new = updated_node.body[0]
            if isinstance(new, cst.Assign) and isinstance(small, cst.Assign) and _is_self_assignment(new):
                if not _is_self_assignment(small):
                    return cst.RemoveFromParent()
        return updated_node

    def visit_Import(self, node: cst.Import) -> bool:
        return False

    def visit_ImportFrom(self, node: cst.ImportFrom) -> bool:
        return False

    def _import(
        self, node: cst.Import | cst.ImportFrom, line: cst.SimpleStatementLine
    ) -> cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement] | cst.RemovalSentinel:
        bound = list(imported_names(node))
        touched = [imported for imported in bound if imported.target.partition(".")[0] == "tensorflow"]
        freed = [imported.alias for imported in bound if imported.bound in self.context.freed]
        if freed and not touched and isinstance(node, cst.ImportFrom):
            rest = [imported.alias for imported in bound if imported.alias not in freed]
            if not rest:
                return cst.RemoveFromParent()
            rest = [*rest[:-1], rest[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)]
            return line.with_changes(body=[node.with_changes(names=rest)])
        if not touched:
            return line
        kept: list[cst.ImportAlias] = [imported.alias for imported in bound if imported not in touched]
        made: list[cst.BaseStatement] = []
        for imported in touched:
            made.append(parse_statement(self._import_text(imported.target, imported.bound, imported.alias)))
        if kept and isinstance(node, cst.Import):
            kept = [*kept[:-1], kept[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)]
            made.insert(0, cst.SimpleStatementLine([node.with_changes(names=kept)]))
        if len(made) == 1 and code_of(made[0]).strip() == code_of(node).strip():
            return line
        made[0] = made[0].with_changes(leading_lines=line.leading_lines)
        if len(made) == 1 and isinstance(made[0], cst.SimpleStatementLine):
            made[0] = made[0].with_changes(trailing_whitespace=line.trailing_whitespace)
        return cst.FlattenSentinel(made)

    def _import_text(self, target: str, bound: str, alias: cst.ImportAlias) -> str:
        if target in _ROOTS:
            module = "tensorflow" if self.context.plain_tensorflow else "tensorflow.compat.v1"
            if bound == "tensorflow" and not alias.asname:
                return "import tensorflow"
            return f"import {module} as {bound}"
        found = lookup(canonical_name(target))
        if isinstance(found.target, RuntimeName):
            module, name = found.target
            return f"from {module} import {name}" + (f" as {bound}" if bound != name else "")
        raise LookupError(f"an import of {target}")  # `certain` lets no such import through


def _is_self_assignment(node: cst.Assign) -> bool:
    return isinstance(node.value, cst.Name) and assigned_name(node) == node.value.value


def with_imports(module: cst.Module, context: FileContext) -> cst.Module:
    """Adds the imports the rewrites asked for, behind the last top-level import."""
    lines: list[cst.BaseStatement] = []
    present = _imported(module)
    for name in sorted(context.imports.wanted):
        bound = context.imports.wanted[name]
        words = sorted(set(bound) - present.get(name, set()), key=str.lower)
        joined = _joined(module, name, words) if words else None
        if joined is not None:
            module = joined
        elif words:
            words = [word if bound[word] == word else f"{word} as {bound[word]}" for word in words]
            lines.append(_import_of(name, words))
    if context.plain_tensorflow and not context.names.imports("tf"):
        # the script has another name for it
        if any(node.value == "tf" for node in find_all(module, cst.Name)):
            lines.insert(0, parse_statement("import tensorflow as tf"))
    if not lines:
        return module
    place = _after_imports(module)
    return module.with_changes(body=[*module.body[:place], *lines, *module.body[place:]])


def _joined(module: cst.Module, name: str, words: list[str]) -> cst.Module | None:
    """The module with words added to its import of the runtime; None where it has none."""
    for line in module.body:
        small = only_small(line)
        if not isinstance(small, cst.ImportFrom) or isinstance(small.names, cst.ImportStar):
            continue
        if name != _RUNTIME or small.module is None or code_of(small.module) != name:
            continue
        there = [imported.bound for imported in imported_names(small)]
        made = _import_of(name, sorted({*there, *words}, key=str.lower))
        return module.with_changes(body=[made if old is line else old for old in module.body])
    return None


_RUNTIME = "tf2towers.runtime"


def _import_of(module: str, words: list[str]) -> cst.BaseStatement:
    return parse_statement("\n".join(wrapped(f"from {module} import ", words)))


def _imported(module: cst.Module) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for line in module.body:
        if isinstance(line, cst.SimpleStatementLine):
            for small in line.body:
                if (
                    isinstance(small, cst.ImportFrom)
                    and not isinstance(small.names, cst.ImportStar)
                    and small.module
                ):
                    for imported in imported_names(small):
                        found.setdefault(code_of(small.module), set()).add(imported.bound)
    return found


def _after_imports(module: cst.Module) -> int:
    place = 0
    for index, line in enumerate(module.body):
        if isinstance(line, cst.SimpleStatementLine) and any(
            isinstance(small, cst.Import | cst.ImportFrom) for small in line.body
        ):
            place = index + 1
        elif place and not isinstance(line, cst.SimpleStatementLine):
            break
    if place == 0 and module.body and _is_docstring(module.body[0]):
        place = 1
    return place


def _is_docstring(line: cst.CSTNode) -> bool:
    small = only_small(line)
    return isinstance(small, cst.Expr) and isinstance(small.value, cst.SimpleString | cst.ConcatenatedString)

"""What a program comes to when it is run: its modules, and the functions and methods that these name."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from tf2towers.exact.python2.modules import Module
from tf2towers.source.nodes import Function, bound_by, dotted, imported

#: methods that Python calls by itself
_IMPLICIT = frozenset({"__call__", "__enter__", "__getitem__", "__init__", "__iter__", "__len__", "__new__"})
#: functions that are given classes, and make nothing of them
_ASKED_OF_CLASSES = frozenset({"isinstance", "issubclass", "super"})

Unit = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class Reached:
    """The modules of a program, and the functions and methods that they name, one after the other.

    A function or a class is named by a name that nothing else gets in that file, a method by an attribute of whatever
    may be an object of a class that is made. What the imports of libraries make is none. The caller gives each node
    that is run to `follow`.

    Args:
        modules: the files that are always imported.
    """

    def __init__(self, modules: list[Module]) -> None:
        self._pending: list[ast.AST] = [module.tree for module in modules]
        self._seen: set[ast.AST] = set()
        #: a tree, a definition or a method -> the module that it is in
        self._homes: dict[ast.AST, Module] = {module.tree: module for module in modules}
        self._definitions: dict[str, list[Unit]] = {}
        self._methods: set[Unit] = set()
        self._files = {module: _Names(module, modules) for module in modules}
        #: a class that is made, and its bases, nearest first
        self._made: dict[ast.ClassDef, list[ast.ClassDef]] = {}
        self._read = set(_IMPLICIT)
        self._read_of_bases: set[str] = set()
        self._no_values: set[ast.AST] = set()
        for module in modules:
            for node in module.nodes:
                if isinstance(node, Unit):
                    self._definitions.setdefault(node.name, []).append(node)
                    self._homes[node] = module
                if isinstance(node, ast.ClassDef):
                    self._methods.update(inner for inner in node.body if isinstance(inner, Function))

    def __iter__(self) -> Iterator[tuple[ast.AST, Module]]:
        while self._pending:
            node = self._pending.pop()
            if node not in self._seen:
                self._seen.add(node)
                yield node, self._homes[node]

    def follow(self, part: ast.AST, module: Module) -> None:
        """Adds what a node names that is run; the nodes around it come first."""
        names = self._files[module]
        if isinstance(part, ast.ClassDef):
            self._no_values.update(part.bases)
        elif isinstance(part, ast.Call):
            self._call(part, module)
        elif isinstance(part, ast.Attribute):
            self._no_values.add(part.value)
            if isinstance(part.ctx, ast.Load) and not names.is_foreign(part.value):
                self._attribute(part, module)
        elif isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load):
            if part not in self._no_values and part.id not in names.assigned:
                self._add(self._named(part.id, module))

    def _call(self, call: ast.Call, module: Module) -> None:
        if isinstance(call.func, ast.Name):
            if call.func.id in _ASKED_OF_CLASSES:
                self._no_values.update(node for argument in call.args for node in ast.walk(argument))
            self._add(self._named(call.func.id, module))
        elif isinstance(call.func, ast.Attribute):
            if call.func.attr == "run" and ast.unparse(call.func).endswith("app.run"):
                main = next((given.id for given in call.args if isinstance(given, ast.Name)), "main")
                self._add(
                    _only(unit for unit in self._definitions.get(main, []) if self._homes[unit] is module)
                )
            elif not self._files[module].is_foreign(call.func.value):
                self._add(_only(self._definitions.get(call.func.attr, [])))

    def _attribute(self, part: ast.Attribute, module: Module) -> None:
        of = part.value
        if isinstance(of, ast.Name) and of.id in self._files[module].modules:
            self._add(self._named(part.attr, module, self._files[module].modules[of.id]))
        kind = self._class_of(of, module)
        line = self._line_of(kind) if isinstance(kind, ast.ClassDef) else []
        if line or (isinstance(of, ast.Call) and isinstance(of.func, ast.Name) and of.func.id == "super"):
            self._read_of_bases.add(part.attr)
            self._add_methods(line, {part.attr})
        elif part.attr in self._read:
            return
        self._read.add(part.attr)
        for made in list(self._made.values()):
            self._add_methods(made, {part.attr})

    def _class_of(self, node: ast.expr, module: Module) -> Unit | None:
        """The class that an expression names."""
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            return self._named(node.attr, module, self._files[module].modules.get(node.value.id))
        return self._named(node.id, module) if isinstance(node, ast.Name) else None

    def _named(self, name: str, module: Module, home: Module | None = None) -> Unit | None:
        """The function or class that a name of a file is, where that is certain; of a module, where it is one's."""
        if home is None:
            name, home = self._files[module].imported.get(name, (name, module))
        found = [unit for unit in self._definitions.get(name, []) if unit not in self._methods]
        return _only(unit for unit in found if self._homes[unit] is home) or _only(found)

    def _add(self, unit: Unit | None) -> None:
        if isinstance(unit, Function):
            self._pending.append(unit)
        elif unit is not None and unit not in self._made:
            self._made[unit] = self._line_of(unit)
            self._add_methods(self._made[unit], self._read)

    def _add_methods(self, line: list[ast.ClassDef], names: set[str]) -> None:
        """Adds what an object of a class has by these names: its own methods, and those of the bases asked for."""
        found: set[str] = set()
        for node in line:
            methods = [inner for inner in node.body if isinstance(inner, Function)]
            for method in methods:
                if method.name in names and (method.name not in found or method.name in self._read_of_bases):
                    self._pending.append(method)
            found.update(method.name for method in methods)

    def _line_of(self, node: ast.ClassDef) -> list[ast.ClassDef]:
        """A class and its bases in the program, nearest first."""
        line = [node]
        for each in line:
            for base in each.bases:
                kind = self._class_of(base, self._homes[each])
                if isinstance(kind, ast.ClassDef) and kind not in line:
                    line.append(kind)
        return line


def _only(units: Iterable[Unit]) -> Unit | None:
    """The one of them; None where there are none or several."""
    found = list(units)
    return found[0] if len(found) == 1 else None


def _deletes(binding: ast.AST) -> bool:
    return isinstance(getattr(binding, "ctx", None), ast.Del)


class _Names:
    """What the names of a file may stand for.

    Attributes:
        assigned: names that something else than `import`, `def` and `class` gives a meaning.
        imported: name -> what it is in the file that it comes from, and that file where it is the program's.
        modules: name -> the file of the program that it stands for.
    """

    def __init__(self, module: Module, modules: list[Module]) -> None:
        files = {each.path: each for each in modules}
        self.assigned = {
            name
            for name, given in module.bindings.items()
            if any(isinstance(binding, ast.expr | ast.arg) and not _deletes(binding) for binding in given)
        }
        self.imported: dict[str, tuple[str, Module | None]] = {}
        self.modules: dict[str, Module] = {}
        for node in module.nodes:
            if not isinstance(node, ast.Import | ast.ImportFrom):
                continue
            for alias, target in imported(node):
                path = module.local.get(target)
                if path in files and (isinstance(node, ast.ImportFrom) or alias.asname or "." not in target):
                    self.modules[bound_by(alias)] = files[path]
                if isinstance(node, ast.ImportFrom):
                    home = module.imported_from(node)
                    self.imported[bound_by(alias)] = alias.name, files.get(home) if home else None
        self._foreign = set(module.libraries)
        while more := {
            name
            for name, given in module.bindings.items()
            if name not in self._foreign and all(map(self._makes, given))
        }:
            self._foreign |= more

    def is_foreign(self, value: ast.expr) -> bool:
        """Whether a value is no object of a class of the program: a library's, or a literal."""
        if isinstance(value, ast.Constant | ast.JoinedStr | ast.List | ast.Dict | ast.Set | ast.Tuple):
            return True
        while isinstance(value, ast.Attribute):
            if dotted(value) in self._foreign:
                return True
            value = value.value
        return self._makes(value) or (isinstance(value, ast.Name) and value.id in self._foreign)

    def _makes(self, value: ast.AST) -> bool:
        """Whether a value is what a function of a library gives."""
        return (
            isinstance(value, ast.Call)
            and isinstance(value.func, ast.Attribute)
            and self.is_foreign(value.func.value)
        )

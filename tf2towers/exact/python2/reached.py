"""What a program comes to when it is run: its modules, and the functions and methods that these name."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

#: a test of the version of Python, or of what there is, and one that may be
_PYTHON = re.compile(r"version_info|sys\.version|PY_?[23]|python|hasattr|builtin|globals", re.IGNORECASE)
_VERSION = re.compile(f"version|{_PYTHON.pattern}", re.IGNORECASE)
#: what a handler catches that is there for a name that is missing, and what catches that among everything else
_MISSING = re.compile(r"NameError|ImportError|ModuleNotFoundError|AttributeError")
_NO_NAME = re.compile(r"NameError")
_ANYTHING = re.compile(r"\b(Exception|StandardError|BaseException)\b")
#: methods that Python calls by itself
_IMPLICIT = frozenset({"__call__", "__enter__", "__getitem__", "__init__", "__iter__", "__len__", "__new__"})
#: functions that are given classes, and make nothing of them
_ASKED_OF_CLASSES = frozenset({"isinstance", "issubclass", "super"})

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Module:
    """A file of a program that is always imported, and the local modules that it imports, by the name it uses."""

    tree: ast.Module
    local: Mapping[str, Path]
    path: Path

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """All that is in it, a node before its parts."""
        return list(ast.walk(self.tree))

    def imported_from(self, node: ast.ImportFrom) -> Path | None:
        """The local module that a `from` statement takes names of."""
        return self.local.get("." * node.level + (node.module or ""))


class Reached:
    """The modules of a program, and the functions and methods that they name, one after the other.

    A function or a class is named by a name that nothing else gets in that file, a method by an attribute of whatever
    may be an object of a class that is made. What the imports of libraries make is none. The caller gives each node
    that is run to `follow`.

    Args:
        modules: the files that are always imported.
        libraries: for the tree of each file (its `id`), what its imports call modules that are not the program's.
    """

    def __init__(self, modules: list[Module], libraries: Mapping[int, Mapping[str, str]]) -> None:
        self._pending: list[tuple[ast.AST, ast.Module]] = [(module.tree, module.tree) for module in modules]
        self._seen: set[int] = set()
        self._definitions: dict[str, list[tuple[Function | ast.ClassDef, ast.Module]]] = {}
        self._methods: set[int] = set()
        self._files = {
            id(module.tree): _Names(module, libraries[id(module.tree)], modules) for module in modules
        }
        self._made: dict[int, list[tuple[ast.ClassDef, ast.Module]]] = {}
        self._read = set(_IMPLICIT)
        self._read_of_bases: set[str] = set()
        self._no_values: set[int] = set()
        for module in modules:
            for node in module.nodes:
                if isinstance(node, Function | ast.ClassDef):
                    self._definitions.setdefault(node.name, []).append((node, module.tree))
                if isinstance(node, ast.ClassDef):
                    self._methods.update(id(inner) for inner in node.body if isinstance(inner, Function))

    def __iter__(self) -> Iterator[tuple[ast.AST, ast.Module]]:
        while self._pending:
            node, tree = self._pending.pop()
            if id(node) not in self._seen:
                self._seen.add(id(node))
                yield node, tree

    def follow(self, part: ast.AST, tree: ast.Module) -> None:
        """Adds what a node names that is run; the nodes around it come first."""
        if isinstance(part, ast.ClassDef):
            self._no_values.update(map(id, part.bases))
        elif isinstance(part, ast.Call):
            self._call(part, tree)
        elif isinstance(part, ast.Attribute):
            self._no_values.add(id(part.value))
            if isinstance(part.ctx, ast.Load) and not self._files[id(tree)].is_foreign(part.value):
                self._attribute(part, tree)
        elif isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load):
            if id(part) not in self._no_values and part.id not in self._files[id(tree)].assigned:
                self._add(self._named(part.id, tree))

    def _call(self, call: ast.Call, tree: ast.Module) -> None:
        if isinstance(call.func, ast.Name):
            if call.func.id in _ASKED_OF_CLASSES:
                self._no_values.update(id(node) for argument in call.args for node in ast.walk(argument))
            self._add(self._named(call.func.id, tree))
        elif isinstance(call.func, ast.Attribute):
            if call.func.attr == "run" and ast.unparse(call.func).endswith("app.run"):
                main = next((given.id for given in call.args if isinstance(given, ast.Name)), "main")
                own = [found for found in self._definitions.get(main, []) if found[1] is tree]
                self._add(own if len(own) == 1 else [])
            elif not self._files[id(tree)].is_foreign(call.func.value):
                found = self._definitions.get(call.func.attr, [])
                self._add(found if len(found) == 1 else [])

    def _attribute(self, part: ast.Attribute, tree: ast.Module) -> None:
        of = part.value
        if isinstance(of, ast.Name) and of.id in self._files[id(tree)].modules:
            self._add(self._named(part.attr, tree, self._files[id(tree)].modules[of.id]))
        lines = [
            self._line_of(node, home)
            for node, home in self._class_of(of, tree)
            if isinstance(node, ast.ClassDef)
        ]
        if lines or (isinstance(of, ast.Call) and isinstance(of.func, ast.Name) and of.func.id == "super"):
            self._read_of_bases.add(part.attr)
            for line in lines:
                self._add_methods(line, {part.attr})
        elif part.attr in self._read:
            return
        self._read.add(part.attr)
        for line in list(self._made.values()):
            self._add_methods(line, {part.attr})

    def _class_of(self, node: ast.expr, tree: ast.Module) -> list[tuple[Function | ast.ClassDef, ast.Module]]:
        """The class that an expression names."""
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            return self._named(node.attr, tree, self._files[id(tree)].modules.get(node.value.id))
        return self._named(node.id, tree) if isinstance(node, ast.Name) else []

    def _named(
        self, name: str, tree: ast.Module, home: ast.Module | None = None
    ) -> list[tuple[Function | ast.ClassDef, ast.Module]]:
        """The function or class that a name of a file is, where that is certain; of a module, where it is one's."""
        if home is None:
            name, home = self._files[id(tree)].imported.get(name, (name, tree))
        found = [each for each in self._definitions.get(name, []) if id(each[0]) not in self._methods]
        own = [each for each in found if each[1] is home]
        return next((each for each in (own, found) if len(each) == 1), [])

    def _add(self, found: list[tuple[Function | ast.ClassDef, ast.Module]]) -> None:
        for node, tree in found:
            if not isinstance(node, ast.ClassDef):
                self._pending.append((node, tree))
            elif id(node) not in self._made:
                self._made[id(node)] = line = self._line_of(node, tree)
                self._add_methods(line, self._read)

    def _add_methods(self, line: list[tuple[ast.ClassDef, ast.Module]], names: set[str]) -> None:
        """Adds what an object of a class has by these names: its own methods, and those of the bases asked for."""
        found: set[str] = set()
        for node, tree in line:
            for inner in node.body:
                if isinstance(inner, Function) and inner.name in names:
                    if inner.name not in found or inner.name in self._read_of_bases:
                        self._pending.append((inner, tree))
            found.update(inner.name for inner in node.body if isinstance(inner, Function))

    def _line_of(self, node: ast.ClassDef, tree: ast.Module) -> list[tuple[ast.ClassDef, ast.Module]]:
        """A class and its bases in the program, nearest first."""
        line = [(node, tree)]
        for each, home in line:
            for base in each.bases:
                for kind, where in self._class_of(base, home):
                    if isinstance(kind, ast.ClassDef) and all(kind is not known for known, _ in line):
                        line.append((kind, where))
        return line


class _Names:
    """What the names of a file may stand for.

    Attributes:
        assigned: names that something else than `import`, `def` and `class` gives a meaning.
        imported: name -> what it is in the file that it comes from, and that file where it is the program's.
        modules: name -> the file of the program that it stands for.
    """

    def __init__(self, module: Module, libraries: Mapping[str, str], modules: list[Module]) -> None:
        trees = {each.path: each.tree for each in modules}
        self.assigned: set[str] = set()
        self.imported: dict[str, tuple[str, ast.Module | None]] = {}
        self.modules: dict[str, ast.Module] = {}
        self._foreign = {name for name, library in libraries.items() if library}
        values: dict[str, list[ast.expr | None]] = {}
        seen: set[int] = set()
        for node in module.nodes:
            if isinstance(node, ast.Assign | ast.withitem):
                targets = node.targets if isinstance(node, ast.Assign) else [node.optional_vars]
                value = node.value if isinstance(node, ast.Assign) else node.context_expr
                for target in targets:
                    if isinstance(target, ast.Name | ast.Attribute):
                        values.setdefault(_dotted(target), []).append(value)
                        seen.add(id(target))
            if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
                if isinstance(node, ast.Name):
                    self.assigned.add(node.id)
                if id(node) not in seen:
                    values.setdefault(_dotted(node), []).append(None)
            elif isinstance(node, ast.arg):
                self.assigned.add(node.arg)
                values.setdefault(node.arg, []).append(None)
            elif isinstance(node, ast.ImportFrom):
                home = module.imported_from(node)
                for alias in node.names:
                    inner = module.local.get(
                        "." * node.level + ".".join(filter(None, (node.module, alias.name)))
                    )
                    if inner in trees:
                        self.modules[alias.asname or alias.name] = trees[inner]
                    self.imported[alias.asname or alias.name] = (
                        alias.name,
                        trees.get(home) if home else None,
                    )
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    if (path := module.local.get(alias.name)) in trees and (
                        alias.asname or "." not in alias.name
                    ):
                        self.modules[alias.asname or alias.name] = trees[path]
        while more := {
            text
            for text, given in values.items()
            if text not in self._foreign and all(map(self._makes, given))
        }:
            self._foreign |= more

    def is_foreign(self, value: ast.expr) -> bool:
        """Whether a value is no object of a class of the program: a library's, or a literal."""
        if isinstance(value, ast.Constant | ast.JoinedStr | ast.List | ast.Dict | ast.Set | ast.Tuple):
            return True
        while isinstance(value, ast.Attribute):
            if _dotted(value) in self._foreign:
                return True
            value = value.value
        return self._makes(value) or (isinstance(value, ast.Name) and value.id in self._foreign)

    def _makes(self, value: ast.expr | None) -> bool:
        """Whether a value is what a function of a library gives."""
        return (
            isinstance(value, ast.Call)
            and isinstance(value.func, ast.Attribute)
            and self.is_foreign(value.func.value)
        )


def run_with(node: ast.AST, *, is_main: bool, inside: bool = False) -> Iterator[ast.AST]:
    """The nodes that are run with a module or a function, without what is ready for another Python.

    That is what a test of the version fences, and a `try` that catches the error of a name that is missing. What an
    error says, and what is done about errors of any kind, is not run as a rule. `inside` gives that all the same, and
    what is inside of functions; a name is all that may be missing then, and the version Python's.
    """
    version, missing = (_PYTHON, _NO_NAME) if inside else (_VERSION, _MISSING)
    pending: list[ast.AST] = list(_up_to_jump(getattr(node, "body", [])))
    while pending:
        part = pending.pop()
        if isinstance(part, Function | ast.Lambda) and not inside:
            if isinstance(part, Function):
                pending += [*part.decorator_list, *part.args.defaults]
            continue
        if isinstance(part, ast.If | ast.IfExp):
            if _asks(part.test, version) or (not is_main and "__name__" in ast.unparse(part.test)):
                continue
        if isinstance(part, ast.BoolOp) and any(_asks(value, version) for value in part.values):
            continue
        if isinstance(part, ast.Try) and _is_ready(part, missing):
            pending += part.finalbody
            pending += [handler.type for handler in part.handlers if inside and handler.type is not None]
            continue
        if not inside and (
            isinstance(part, ast.Raise) or (isinstance(part, ast.ExceptHandler) and _is_for_anything(part))
        ):
            continue
        yield part
        for _, value in ast.iter_fields(part):
            if isinstance(value, ast.AST):
                pending.append(value)
            elif isinstance(value, list):
                pending += [each for each in _up_to_jump(value) if isinstance(each, ast.AST)]


def _up_to_jump(parts: list[ast.AST]) -> Iterator[ast.AST]:
    """The statements of a body up to `if PY3: return x`: what follows is for one Python alone."""
    for part in parts:
        yield part
        if isinstance(part, ast.If) and _asks(part.test, _PYTHON):
            ends = [body[-1] for body in (part.body, part.orelse) if body]
            if any(isinstance(end, ast.Return | ast.Raise | ast.Continue | ast.Break) for end in ends):
                return


def _asks(test: ast.expr, what: re.Pattern[str]) -> bool:
    """Whether a name, an attribute or a text of a test is one of the version."""
    return any(
        isinstance(node, ast.Name | ast.Attribute | ast.Constant)
        and what.search(str(node.value) if isinstance(node, ast.Constant) else _dotted(node)) is not None
        for node in ast.walk(test)
    )


def _dotted(node: ast.expr) -> str:
    """A name or an attribute as a text: `self.sess`."""
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else "()"


def _is_ready(part: ast.Try, missing: re.Pattern[str]) -> bool:
    """Whether a `try` is there for a name that is missing: it catches that, or has little else in it."""
    if isinstance(part.body[0], ast.Import | ast.ImportFrom):
        missing = _MISSING  # what follows is not run without it
    if any(
        handler.type is not None and missing.search(ast.unparse(handler.type)) for handler in part.handlers
    ):
        return True
    little = len(part.body) <= 2 or all(isinstance(each, ast.Import | ast.ImportFrom) for each in part.body)
    plain = all(
        isinstance(each, ast.Assign | ast.Expr | ast.Import | ast.ImportFrom | ast.Return)
        for each in part.body
    )
    return little and plain and any(map(_is_for_anything, part.handlers))


def _is_for_anything(handler: ast.ExceptHandler) -> bool:
    return handler.type is None or bool(_ANYTHING.search(ast.unparse(handler.type)))

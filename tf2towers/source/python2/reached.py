"""Finds the code that a run reaches: modules, and the functions that they use."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from tf2towers.source.ast_nodes import Function, bound_by, dotted, last_name, root_of

#: methods that Python calls implicitly
_IMPLICIT = frozenset({"__call__", "__enter__", "__getitem__", "__init__", "__iter__", "__len__", "__new__"})
#: functions that take classes, but make no objects of them
_ASKED_OF_CLASSES = frozenset({"isinstance", "issubclass", "super"})
#: functions that return a dict
_DICTS = frozenset({"dict", "vars", "locals", "globals", "OrderedDict", "defaultdict"})

_LITERALS = ast.Constant | ast.JoinedStr | ast.List | ast.Dict | ast.Set | ast.Tuple

Unit = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True, eq=False)
class Module:
    """A file of a program that is always imported, with its imports: name -> path."""

    tree: ast.Module
    local: Mapping[str, Path]
    path: Path

    @property
    def nodes(self) -> list[ast.AST]:
        """All nodes, each before its children."""
        return nodes_of(self.tree)

    @property
    def bindings(self) -> dict[str, list[ast.AST]]:
        """Name -> its bindings, in any scope."""
        return bindings_of(self.tree)

    @cached_property
    def libraries(self) -> dict[str, str]:
        """Name -> the library's module that an import binds it to, without other bindings."""
        found: dict[str, str] = {}
        for name, given in self.bindings.items():
            modules = {module_bound_by(binding) for binding in given}
            if len(modules) == 1 and (module := modules.pop()) and module not in self.local:
                found[name] = module
        return found

    @cached_property
    def assigned(self) -> set[str]:
        """The names that are also bound otherwise than by `import`, `def` and `class`."""
        return {
            name
            for name, given in self.bindings.items()
            for each in given
            if isinstance(each, ast.expr | ast.arg) and not isinstance(getattr(each, "ctx", None), ast.Del)
        }

    @cached_property
    def renamed(self) -> dict[str, str]:
        """Name that a `from` import binds -> its name in the imported module."""
        statements = (node for node in self.nodes if isinstance(node, ast.ImportFrom))
        return {bound_by(alias): alias.name for node in statements for alias in node.names}

    def is_foreign(self, value: ast.AST, asked: frozenset[str] = frozenset()) -> bool:
        """True if a value is of no class of the program: a literal, or of a library."""
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
            return self.is_foreign(value.func.value, asked)
        name = dotted(value)
        if name is None or name in asked:
            return isinstance(root_of(value), _LITERALS)
        if name in self.libraries:
            return True
        given = self.bindings.get(name, [])
        if given and all(
            isinstance(each, ast.Call) and self.is_foreign(each, asked | {name}) for each in given
        ):
            return True
        return isinstance(value, ast.Attribute) and self.is_foreign(value.value, asked)

    def is_dict(self, node: ast.AST) -> bool:
        """True if an expression is certainly a dict: by its form, or its name's bindings."""
        if isinstance(node, ast.Name):
            given = self.bindings.get(node.id, [])
            return bool(given) and all(map(_is_written_as_dict, given))
        return _is_written_as_dict(node)


Kept = TypeVar("Kept")


def kept_by_tree(find: Callable[[ast.Module], Kept]) -> Callable[[ast.Module], Kept]:
    """Decorator of a function of a tree, which programs of a folder share: it runs once for each.

    The tree itself keeps the result, which may have the tree in it, so that both are freed
    together.
    """
    name = f"_{find.__name__}"

    def found(tree: ast.Module) -> Kept:
        kept: dict[str, Kept] = vars(tree)
        if name not in kept:
            kept[name] = find(tree)
        return kept[name]

    return found


@kept_by_tree
def nodes_of(tree: ast.Module) -> list[ast.AST]:
    """All nodes of a module, each before its children."""
    return list(ast.walk(tree))


@kept_by_tree
def bindings_of(tree: ast.Module) -> dict[str, list[ast.AST]]:
    """Name -> its bindings in a module, in any scope."""
    return bindings(nodes_of(tree))


def bindings(nodes: Iterable[ast.AST]) -> dict[str, list[ast.AST]]:
    """Name, or attribute (`self.x`) -> the nodes of its bindings.

    Of an assignment the value, if it is visible. Of other bindings the alias of an `import`, the
    whole `from` statement, a definition, a parameter, or the name.
    """
    found: dict[str, list[ast.AST]] = {}
    known: set[ast.AST] = set()

    def bind(target: ast.AST, value: ast.AST, name: str = "") -> None:
        pairs = ast.Tuple | ast.List
        if isinstance(target, pairs) and isinstance(value, pairs) and len(target.elts) == len(value.elts):
            for each, own in zip(target.elts, value.elts, strict=True):
                bind(each, own)
        elif target not in known and not isinstance(target, ast.Tuple | ast.List):
            found.setdefault(name or dotted(target) or "", []).append(value)
            known.add(target)

    for node in nodes:
        match node:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    bind(target, value)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                bind(target, value)
            case ast.withitem(optional_vars=ast.expr() as target, context_expr=value):
                bind(target, value)
            case ast.arguments(kwarg=ast.arg(arg=name) as target):
                bind(target, ast.Dict([], []), name)
            case ast.Import() | ast.ImportFrom():
                for alias in node.names:
                    bind(alias, alias if isinstance(node, ast.Import) else node, bound_by(alias))
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                bind(node, node, name)
            case ast.arg(arg=name):
                bind(node, node, name)
            case ast.Name() | ast.Attribute() if not isinstance(node.ctx, ast.Load):
                bind(node, node)
    return found


def module_bound_by(binding: ast.AST) -> str:
    """The module that an `import` binds a name to; empty for anything else."""
    if not isinstance(binding, ast.alias):
        return ""
    return binding.name if binding.asname else bound_by(binding)


def _is_written_as_dict(node: ast.AST) -> bool:
    match node:
        case ast.Attribute(attr="__dict__", ctx=ast.Load()) | ast.Dict() | ast.DictComp():
            return True
        case ast.Call(func=ast.Name(id=name)):
            return name in _DICTS
        case ast.Call(func=ast.Attribute(attr="OrderedDict" | "defaultdict")):
            return True
    return False


class Reached:
    """Iterates over the modules of a program, and over the functions and methods that these use.

    A function or a class is used by a name without other bindings in the file. It must be the only
    one of that name in the file or in the program. A method is used by an attribute of any value
    that may be an object of a class that the program uses. Names of libraries do not count. The
    caller passes each node that runs to `follow`.

    Args:
        modules: the files that are always imported.
    """

    def __init__(self, modules: list[Module]) -> None:
        self._pending: list[ast.AST] = [module.tree for module in modules]
        #: a tree, a definition or a method -> its module
        self._homes: dict[ast.AST, Module] = {module.tree: module for module in modules}
        self._definitions: dict[str, list[Unit]] = {}
        #: a class that is used -> the class and its bases, nearest first
        self._made: dict[ast.ClassDef, list[ast.ClassDef]] = {}
        self._read = set(_IMPLICIT)
        self._read_of_bases: set[str] = set()
        self._no_values: set[ast.AST] = set()
        units = [(node, module) for module in modules for node in module.nodes if isinstance(node, Unit)]
        self._homes.update(units)
        methods = {inner for node, _ in units if isinstance(node, ast.ClassDef) for inner in _methods(node)}
        for node, _ in units:
            if node not in methods:
                self._definitions.setdefault(node.name, []).append(node)

    def __iter__(self) -> Iterator[tuple[ast.AST, Module]]:
        seen: set[ast.AST] = set()
        while self._pending:
            node = self._pending.pop()
            if node not in seen:
                seen.add(node)
                yield node, self._homes[node]

    def follow(self, part: ast.AST, module: Module) -> None:
        """Adds what a running node uses; call it for the nodes around it first."""
        match part:
            case ast.ClassDef():
                self._no_values.update(part.bases)
            case ast.Call():
                self._call(part, module)
            case ast.Attribute():
                self._no_values.add(part.value)
                if isinstance(part.ctx, ast.Load) and not module.is_foreign(part.value):
                    self._attribute(part, module)
            case ast.Name(ctx=ast.Load()) if part not in self._no_values and part.id not in module.assigned:
                self._add(self._named(part, module))

    def _call(self, call: ast.Call, module: Module) -> None:
        if isinstance(call.func, ast.Name) and call.func.id in _ASKED_OF_CLASSES:
            self._no_values.update(node for given in call.args for node in ast.walk(given))
        if (dotted(call.func) or "").endswith("app.run"):
            main = next((given for given in call.args if isinstance(given, ast.Name)), ast.Name("main"))
            self._add(self._named(main, module))
        elif isinstance(call.func, ast.Name):
            self._add(self._named(call.func, module))

    def _attribute(self, part: ast.Attribute, module: Module) -> None:
        if dotted(part.value) in module.local or getattr(part.value, "id", None) in module.renamed:
            self._add(self._named(part, module))
        kind = self._named(part.value, module)
        line = self._line_of(kind) if isinstance(kind, ast.ClassDef) else []
        if line or (isinstance(part.value, ast.Call) and dotted(part.value.func) == "super"):
            self._read_of_bases.add(part.attr)
            self._add_methods(line, {part.attr})
        elif part.attr in self._read:
            return
        self._read.add(part.attr)
        for made in list(self._made.values()):
            self._add_methods(made, {part.attr})

    def _named(self, node: ast.AST, module: Module) -> Unit | None:
        """The function or class that a name or attribute refers to; None if not certain."""
        name = last_name(node)
        name = module.renamed.get(name, name) if isinstance(node, ast.Name) else name
        found = self._definitions.get(name, [])
        return _only(unit for unit in found if self._homes[unit] is module) or _only(found)

    def _add(self, unit: Unit | None) -> None:
        if isinstance(unit, Function):
            self._pending.append(unit)
        elif unit is not None and unit not in self._made:
            self._made[unit] = self._line_of(unit)
            self._add_methods(self._made[unit], self._read)

    def _add_methods(self, line: list[ast.ClassDef], names: set[str]) -> None:
        """Adds methods by name: own, inherited, and overridden ones for `super()`."""
        found: set[str] = set()
        for node in line:
            methods = _methods(node)
            self._pending += [
                each
                for each in methods
                if each.name in names and (each.name not in found or each.name in self._read_of_bases)
            ]
            found.update(method.name for method in methods)

    def _line_of(self, node: ast.ClassDef) -> list[ast.ClassDef]:
        """A class and its base classes in the program, nearest first."""
        line = [node]
        for each in line:
            for base in each.bases:
                kind = self._named(base, self._homes[each])
                if isinstance(kind, ast.ClassDef) and kind not in line:
                    line.append(kind)
        return line


def _methods(node: ast.ClassDef) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    return [inner for inner in node.body if isinstance(inner, Function)]


def _only(units: Iterable[Unit]) -> Unit | None:
    """The only unit; None if there are none or several."""
    found = list(units)
    return found[0] if len(found) == 1 else None

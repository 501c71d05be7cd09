"""Packages whose modules are all imported: `for _, name, _ in pkgutil.iter_modules(models.__path__): __import__(name)`.

The package is one that the file imports, its own (`__path__`), or what a function is given: `load(models, 'models')`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tf2towers.source.nodes import Function, argument, bound_by, has_star, imported, last_name
from tf2towers.source.text_pieces import text_pieces

_WALKS = ("iter_modules", "walk_packages")
_OWN_FOLDER = re.compile(r"\[(os\.path\.|osp\.|path\.)?dirname\((os\.path\.abspath\()?__file__\)+\]|__path__")


@dataclass(frozen=True)
class WalkedPackage:
    """The package whose modules an import in a loop means."""

    #: as the file imports it, '.' for its own; empty where a function is given it
    package: str = ""
    #: that function, and the place and the name of its parameter
    function: str = ""
    parameter: tuple[int, str] = (0, "")
    #: the parameter that says what comes before the module's name
    prefix: tuple[int, str] | None = None
    #: whether the module's name is the whole text
    is_bare: bool = False
    #: whether the packages below are walked, too
    is_deep: bool = False


@dataclass(frozen=True)
class Given:
    """A package that such a function is given in a file, and the text before the modules' names."""

    path: Path
    package: str
    prefix: str | None

    def matches_prefix(self, walked: WalkedPackage) -> bool:
        """Whether the text before the modules' names is the package's own name, where there is one."""
        if walked.prefix is None or walked.is_bare or self.prefix is None:
            return walked.prefix is None or walked.is_bare
        name = self.package.lstrip(".")
        return self.prefix == self.package or (
            name != self.package and f".{self.prefix}".endswith(f".{name}")
        )


@dataclass
class Walkers:
    """The functions of a program that walk through a package they are given, and what they are given."""

    found: dict[str, WalkedPackage] = field(default_factory=dict)
    #: None: something that is not seen
    given: dict[str, set[Given | None]] = field(default_factory=dict)

    def add(self, walked: WalkedPackage) -> None:
        """Adds such a function; of two with one name nothing is known."""
        known = self.found.setdefault(walked.function, walked)
        if (known.parameter, known.prefix or walked.prefix) != (
            walked.parameter,
            walked.prefix or known.prefix,
        ):
            self.given.setdefault(walked.function, set()).add(None)
        if known.prefix is None:  # the import of the bare name came first
            self.found[walked.function] = walked

    def look(self, tree: ast.Module, text: str, path: Path) -> None:
        """Looks through a module for such functions, and for what they are given."""
        names = [name for name in self.found if name in text]
        if not names:
            return
        calls = {node.func: node for node in ast.walk(tree) if isinstance(node, ast.Call)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Name | ast.Attribute) and (name := last_name(node)) in names:
                call = calls.get(node)
                given = _given_package(tree, call, self.found[name], path) if call is not None else None
                self.given.setdefault(name, set()).add(given)

    def state(self) -> tuple[int, int]:
        """How much has been seen."""
        return len(self.found), sum(map(len, self.given.values()))


def walked_package(tree: ast.Module, call: ast.Call, text: ast.expr) -> WalkedPackage | None:
    """The package whose modules a call imports, where it is in a loop over them; `text` is what it imports by."""
    pieces = list(text_pieces(text))
    for loop in ast.walk(tree):
        if not isinstance(loop, ast.For | ast.comprehension) or not isinstance(loop.iter, ast.Call):
            continue
        walk = last_name(loop.iter.func)
        body = loop if isinstance(loop, ast.For) else _owner(tree, loop)
        if walk not in _WALKS or not loop.iter.args or not any(node is call for node in ast.walk(body)):
            continue
        if not pieces or ast.unparse(pieces[-1]) != _name_in(loop.target) or len(loop.iter.args) > 1:
            return None
        function = next(
            (each for each in _functions(tree) if any(node is call for node in ast.walk(each))), None
        )
        return _walked_package_of_loop(
            tree, function, loop.iter.args[0], pieces[:-1], is_deep=walk == "walk_packages"
        )
    return None


def _walked_package_of_loop(
    tree: ast.Module, function: Function | None, where: ast.expr, before: list[ast.expr], *, is_deep: bool
) -> WalkedPackage | None:
    """What is walked, given the first argument of the walk and what comes before the module's name."""
    dots = [piece for piece in before if isinstance(piece, ast.Constant)]
    if before and not (len(before) == 2 and before[1] in dots and ast.unparse(before[1]) == "'.'"):
        return None
    prefix = ast.unparse(before[0]) if before else ""
    if _OWN_FOLDER.fullmatch(ast.unparse(where)):
        if prefix not in ("", "__name__", "__package__"):
            return None
        return WalkedPackage(".", is_bare=not before, is_deep=is_deep)
    module = where.value if isinstance(where, ast.Attribute) and where.attr == "__path__" else where
    parameters = [parameter.arg for parameter in function.args.args] if function is not None else []
    parameter_before = None
    if prefix and prefix != f"{ast.unparse(module)}.__name__":
        if prefix not in parameters:
            return None
        parameter_before = (parameters.index(prefix), prefix)
    if isinstance(module, ast.Name) and module.id in parameters and function is not None:
        if not all(_takes_the_path(node, module.id) for node in ast.walk(function)):
            return None
        place = (parameters.index(module.id), module.id)
        return WalkedPackage("", function.name, place, parameter_before, not before, is_deep)
    package = _imported(tree, module) if module is not where else None
    if package is None or parameter_before is not None:
        return None
    return WalkedPackage(package, is_bare=not before, is_deep=is_deep)


def _takes_the_path(node: ast.AST, name: str) -> bool:
    """Whether a node leaves a parameter as it is, but for `module = module.__path__`."""
    if isinstance(node, ast.Assign) and ast.unparse(node.value) == f"{name}.__path__":
        return True
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return not any(
        isinstance(part, ast.Name) and part.id == name
        for target in targets
        if isinstance(target, ast.expr)
        for part in ast.walk(target)
    )


def _given_package(tree: ast.Module, call: ast.Call, walked: WalkedPackage, path: Path) -> Given | None:
    """The package that a call gives; None where it is not seen."""
    module = argument(call, *walked.parameter)
    if isinstance(module, ast.Attribute) and module.attr == "__path__":
        module = module.value
    package = _imported(tree, module) if module is not None else None
    prefix = argument(call, *walked.prefix) if walked.prefix is not None else None
    if package is None or has_star(call):
        return None
    if prefix is None:
        return Given(path, package, None)
    if module is not None and ast.unparse(prefix) == f"{ast.unparse(module)}.__name__":
        return Given(path, package, package)
    if isinstance(prefix, ast.Constant) and isinstance(prefix.value, str):
        return Given(path, package, prefix.value)
    return None


def _imported(tree: ast.Module, module: ast.expr) -> str | None:
    """The dotted name of a module by the file's imports; None where the name may be something else."""
    root, _, rest = ast.unparse(module).partition(".")
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            for alias, dotted in imported(node):
                if bound_by(alias) == root:
                    found.add(dotted if alias.asname or isinstance(node, ast.ImportFrom) else root)
        elif (isinstance(node, ast.Name) and node.id == root and not isinstance(node.ctx, ast.Load)) or (
            isinstance(node, ast.arg) and node.arg == root
        ):
            return None
    if len(found) != 1 or not isinstance(module, ast.Name | ast.Attribute):
        return None
    return ".".join(filter(None, (found.pop(), rest)))


def _functions(tree: ast.Module) -> Iterator[Function]:
    """The functions of a module, inner ones first."""
    yield from reversed([node for node in ast.walk(tree) if isinstance(node, Function)])


def _owner(tree: ast.Module, comprehension: ast.comprehension) -> ast.AST:
    return next(node for node in ast.walk(tree) if comprehension in getattr(node, "generators", ()))


def _name_in(target: ast.expr) -> str:
    """What the name of a module is called in a loop: the second of three, or an attribute."""
    if isinstance(target, ast.Tuple) and len(target.elts) == 3:
        return ast.unparse(target.elts[1])
    return f"{ast.unparse(target)}.name"

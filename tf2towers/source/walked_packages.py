"""Packages whose modules are all imported: `for _, name, _ in pkgutil.iter_modules(models.__path__): __import__(name)`.

The package is one that the file imports, its own (`__path__`), or what a function is given: `load(models, 'models')`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

_WALKS = ("iter_modules", "walk_packages")
_OWN_FOLDER = re.compile(r"\[(os\.path\.|osp\.|path\.)?dirname\((os\.path\.abspath\()?__file__\)+\]|__path__")

_Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class WalkedPackage:
    """The package whose modules an import in a loop means."""

    #: as the file imports it, '.' for its own; empty where a function is given it
    package: str = ""
    #: that function, and the place and the name of its parameter
    function: str = ""
    parameter: tuple[int, str] = (0, "")
    #: the parameter that says what stands before the module's name
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

    def fits(self, walked: WalkedPackage) -> bool:
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
            name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
            if isinstance(node, ast.Name | ast.Attribute) and name in names:
                call = calls.get(node)
                given = _given(tree, call, self.found[name], path) if call is not None else None
                self.given.setdefault(name, set()).add(given)

    def state(self) -> tuple[int, int]:
        """How much has been seen."""
        return len(self.found), sum(map(len, self.given.values()))


def walked_package(tree: ast.Module, call: ast.Call, text: ast.expr) -> WalkedPackage | None:
    """The package whose modules a call imports, where it stands in a loop over them; `text` is what it imports by."""
    pieces = _pieces(text)
    for loop in ast.walk(tree):
        if not isinstance(loop, ast.For | ast.comprehension) or not isinstance(loop.iter, ast.Call):
            continue
        walk = ast.unparse(loop.iter.func).rpartition(".")[2]
        body = loop if isinstance(loop, ast.For) else _owner(tree, loop)
        if walk not in _WALKS or not loop.iter.args or not any(node is call for node in ast.walk(body)):
            continue
        if not pieces or ast.unparse(pieces[-1]) != _name_in(loop.target) or len(loop.iter.args) > 1:
            return None
        function = next(
            (each for each in _functions(tree) if any(node is call for node in ast.walk(each))), None
        )
        return _of_loop(tree, function, loop.iter.args[0], pieces[:-1], is_deep=walk == "walk_packages")
    return None


def _of_loop(
    tree: ast.Module, function: _Function | None, where: ast.expr, before: list[ast.expr], *, is_deep: bool
) -> WalkedPackage | None:
    """What is walked, given the first argument of the walk and what stands before the module's name."""
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


def _given(tree: ast.Module, call: ast.Call, walked: WalkedPackage, path: Path) -> Given | None:
    """The package that a call gives; None where it is not seen."""
    module = _argument(call, walked.parameter)
    if isinstance(module, ast.Attribute) and module.attr == "__path__":
        module = module.value
    package = _imported(tree, module) if module is not None else None
    prefix = _argument(call, walked.prefix) if walked.prefix is not None else None
    if package is None or any(isinstance(argument, ast.Starred) for argument in call.args):
        return None
    if prefix is None:
        return Given(path, package, None)
    if module is not None and ast.unparse(prefix) == f"{ast.unparse(module)}.__name__":
        return Given(path, package, package)
    if isinstance(prefix, ast.Constant) and isinstance(prefix.value, str):
        return Given(path, package, prefix.value)
    return None


def _argument(call: ast.Call, parameter: tuple[int, str]) -> ast.expr | None:
    place, name = parameter
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    return call.args[place] if len(call.args) > place else None


def _imported(tree: ast.Module, module: ast.expr) -> str | None:
    """The dotted name of a module by the file's imports; None where the name may be something else."""
    root, _, rest = ast.unparse(module).partition(".")
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if (alias.asname or alias.name.partition(".")[0]) == root:
                    found.add(alias.name if alias.asname else root)
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            for alias in node.names:
                if (alias.asname or alias.name) == root:
                    found.add(base + alias.name if base.endswith(".") else f"{base}.{alias.name}")
        elif (isinstance(node, ast.Name) and node.id == root and not isinstance(node.ctx, ast.Load)) or (
            isinstance(node, ast.arg) and node.arg == root
        ):
            return None
    if len(found) != 1 or not isinstance(module, ast.Name | ast.Attribute):
        return None
    return ".".join(filter(None, (found.pop(), rest)))


def _functions(tree: ast.Module) -> Iterator[_Function]:
    """The functions of a module, inner ones first."""
    yield from reversed([node for node in ast.walk(tree) if isinstance(node, _Function)])


def _owner(tree: ast.Module, comprehension: ast.comprehension) -> ast.AST:
    return next(node for node in ast.walk(tree) if comprehension in getattr(node, "generators", ()))


def _name_in(target: ast.expr) -> str:
    """What the name of a module is called in a loop: the second of three, or an attribute."""
    if isinstance(target, ast.Tuple) and len(target.elts) == 3:
        return ast.unparse(target.elts[1])
    return f"{ast.unparse(target)}.name"


def _pieces(text: ast.expr) -> list[ast.expr]:
    """The expressions that a text is made of, one after the other; nothing where that is not seen."""
    match text:
        case ast.Name() | ast.Attribute() | ast.Constant():
            return [text]
        case ast.BinOp(op=ast.Add()):
            left, right = _pieces(text.left), _pieces(text.right)
            return [*left, *right] if left and right else []
        case ast.JoinedStr():
            found = [_pieces(part) for part in text.values]
            return [piece for pieces in found for piece in pieces] if all(found) else []
        case ast.FormattedValue(conversion=-1, format_spec=None):
            return _pieces(text.value)
        case ast.BinOp(left=ast.Constant(value=str(pattern)), op=ast.Mod()):
            given = text.right.elts if isinstance(text.right, ast.Tuple) else [text.right]
            return _filled(pattern.split("%s"), given)
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str(pattern)), attr="format"), keywords=[]):
            return _filled(re.split(r"\{\d?\}", pattern), text.args)
        case ast.Call(
            func=ast.Attribute(value=ast.Constant(value="."), attr="join"),
            args=[ast.List(elts=[first, last]) | ast.Tuple(elts=[first, last])],
        ):
            return [*_pieces(first), ast.Constant("."), *_pieces(last)]
    return []


def _filled(texts: list[str], given: list[ast.expr]) -> list[ast.expr]:
    if len(texts) != len(given) + 1:
        return []
    found: list[ast.expr] = [ast.Constant(texts[0])] if texts[0] else []
    for value, text in zip(given, texts[1:], strict=True):
        found += [*_pieces(value), *([ast.Constant(text)] if text else [])]
    return found

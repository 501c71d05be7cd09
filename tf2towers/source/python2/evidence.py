"""Evidence that a program is Python 2: Python 3 would certainly fail when it runs.

It imports a module that only Python 2 has (`import cPickle`). Or a run reaches (`reached`) a name
that only Python 2 defines (`for i in xrange(n)`, `itertools.izip(a, b)`), or a method that only
Python 2's dicts have (`{}.iteritems()`). Code in a test of the version, or in a `try` that catches
the error, is not evidence; nor is a name that the file binds anywhere (`from six.moves import
xrange`).

`lines_of_python2` returns all such names: if a program counts as Python 3, they are reported to the
user.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tf2towers.source.ast_nodes import dotted, imported, module_of
from tf2towers.source.python2.reached import (
    Module,
    Reached,
    bindings_of,
    kept_by_tree,
    module_bound_by,
    nodes_of,
)
from tf2towers.source.python2.tables import read_words
from tf2towers.source.script import Script
from tf2towers.source.syntax import parse

#: modules that Python 3 has renamed or removed
MODULES = read_words("modules")
_BUILTINS = read_words("builtins")
#: names that only Python 2 has: those that are evidence if a run reaches them, and others
NAMES = _BUILTINS | {"StandardError", "buffer", "coerce"}
#: names that Python 3 has removed from modules of both Pythons
_OF_MODULES = frozenset(
    f"{module}.{name}"
    for module in ("itertools", "operator", "os", "string", "sys", "types", "urllib")
    for name in read_words(f"of {module}")
)
#: names in a test of Python's version or of available names; and the same with those that may be
#: one
_PYTHON = re.compile(r"version_info|sys\.version|PY_?[23]|python|hasattr|builtin|globals", re.IGNORECASE)
_VERSION = re.compile(f"version|{_PYTHON.pattern}", re.IGNORECASE)
#: errors that a handler for a missing name catches, and errors that include these
_MISSING = re.compile(r"NameError|ImportError|ModuleNotFoundError|AttributeError")
_ANYTHING = re.compile(r"\b(Exception|StandardError|BaseException)\b")


def is_certain(modules: list[Module], main: Module) -> bool:
    """True if Python 3 would fail in one of these modules; `main` is the script."""
    if any(_imports(module) for module in modules):
        return True
    if not any(_has_a_sign(module.tree) for module in modules):
        return False
    all_bound = {module: _bound_names(module, modules) for module in modules}
    reached = Reached(modules)
    for node, module in reached:
        for part in _nodes_run_with(node, is_main=module is main):
            if _stops_python3(part, module, all_bound[module]):
                return True
            reached.follow(part, module)
    return False


def lines_of_python2(script: Script, *, is_main: bool) -> set[tuple[int, str]]:
    """The uses of names of Python 2 only, as line and name, unless prepared for another Python."""
    return {
        (part.lineno, part.id)
        for part in _nodes_run_with(parse(script.text, script.path), is_main=is_main, inside=True)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load) and part.id in NAMES
    }


def _imports(module: Module) -> bool:
    for node in module.tree.body:
        if isinstance(node, ast.Import):
            if any(alias.name in MODULES and alias.name not in module.local for alias in node.names):
                return True
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module not in module.local:
            if node.module in MODULES or any(name in _OF_MODULES for _, name in imported(node)):
                return True
    return False


@kept_by_tree
def _has_a_sign(tree: ast.Module) -> bool:
    """True if a tree has a node at which Python 3 may stop, whatever its names mean."""
    bound = bindings_of(tree)
    for node in nodes_of(tree):
        match node:
            case ast.Name(id=name) if name in _BUILTINS:
                return True
            case ast.Attribute(attr="iteritems" | "iterkeys" | "itervalues"):
                return True
            case ast.Attribute(value=ast.Name(id=name), attr=attribute) if bound.get(name):
                if any(f"{module_bound_by(each)}.{attribute}" in _OF_MODULES for each in bound[name]):
                    return True
            case ast.BinOp(op=ast.Add(), left=ast.Call(func=ast.Attribute(attr="keys" | "values" | "items"))):
                return True
    return False


def _stops_python3(part: ast.AST, module: Module, bound: frozenset[str]) -> bool:
    """True if Python 3 would raise an error at a node."""
    match part:
        case ast.Name(id=name, ctx=ast.Load()):
            return name in _BUILTINS and name not in bound
        case ast.Attribute(value=ast.Name(id=name), attr=attribute, ctx=ast.Load()):
            return f"{module.libraries.get(name)}.{attribute}" in _OF_MODULES
        case ast.BinOp(op=ast.Add()):  # `a.values() + b.values()` of dicts: lists, unlike Python 3's views
            return all(_gives_view(side, module) for side in (part.left, part.right))
        case ast.Call(func=ast.Attribute(attr="iteritems" | "iterkeys" | "itervalues", value=of)):
            return module.is_dict(of)
    return False


def _gives_view(value: ast.expr, module: Module) -> bool:
    match value:
        case ast.Call(func=ast.Attribute(attr="keys" | "values" | "items", value=of)):
            return module.is_dict(of)
    return False


def _bound_names(
    module: Module, modules: list[Module], seen: frozenset[Path] = frozenset()
) -> frozenset[str]:
    """All names that a file binds in any scope; for an unknown star import all Python 2's."""
    found = set(module.bindings)
    for node in module.nodes:
        if isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names):
            path = module.local.get(module_of(node))
            other = next((each for each in modules if each.path == path), None)
            if path not in seen and not (node.module or "").startswith("tensorflow"):
                found |= _BUILTINS if other is None else _bound_names(other, modules, seen | {module.path})
    return frozenset(found)


def _nodes_run_with(node: ast.AST, *, is_main: bool, inside: bool = False) -> Iterator[ast.AST]:
    """The nodes that run with a module or function, without those for another Python.

    Prepared is code in a test of the version, and in a `try` that catches the error of a missing
    name. `raise` statements and handlers of any error are left out, since they usually do not run.
    With `inside`, these and the bodies of functions are included; then only a NameError, and a test
    of Python's version, count as preparation.
    """
    version, missing = (_PYTHON, re.compile("NameError")) if inside else (_VERSION, _MISSING)
    pending: list[ast.AST] = list(_up_to_jump(getattr(node, "body", [])))
    while pending:
        part = pending.pop()
        match part:
            case ast.FunctionDef() | ast.AsyncFunctionDef() if not inside:
                pending += [*part.decorator_list, *part.args.defaults]
                continue
            case ast.Lambda() | ast.Raise() if not inside:
                continue
            case ast.ExceptHandler() if not inside and _is_for_anything(part):
                continue
            case ast.If() | ast.IfExp():
                if _tests_version(part.test, version) or (
                    not is_main and "__name__" in ast.unparse(part.test)
                ):
                    continue
            case ast.BoolOp() if any(_tests_version(value, version) for value in part.values):
                continue
            case ast.Try() if _is_ready(part, missing):
                pending += part.finalbody
                pending += [handler.type for handler in part.handlers if inside and handler.type is not None]
                continue
        yield part
        for _, value in ast.iter_fields(part):
            parts = _up_to_jump(value) if isinstance(value, list) else [value]
            pending += [each for each in parts if isinstance(each, ast.AST)]


def _up_to_jump(parts: list[ast.AST]) -> Iterator[ast.AST]:
    """The statements up to `if PY3: return x`: the rest is for one Python only."""
    for part in parts:
        yield part
        if isinstance(part, ast.If) and _tests_version(part.test, _PYTHON):
            ends = [body[-1] for body in (part.body, part.orelse) if body]
            if any(isinstance(end, ast.Return | ast.Raise | ast.Continue | ast.Break) for end in ends):
                return


def _tests_version(test: ast.expr, what: re.Pattern[str]) -> bool:
    """True if a test contains a name, an attribute or a constant that refers to the version."""
    return any(
        isinstance(node, ast.Name | ast.Attribute | ast.Constant)
        and what.search(str(node.value) if isinstance(node, ast.Constant) else dotted(node) or "") is not None
        for node in ast.walk(test)
    )


def _is_ready(part: ast.Try, missing: re.Pattern[str]) -> bool:
    """True if a `try` catches a missing name's error, or is short and catches any."""
    if isinstance(part.body[0], ast.Import | ast.ImportFrom):
        missing = _MISSING  # without this import the rest of the body does not run
    if any(handler.type and missing.search(ast.unparse(handler.type)) for handler in part.handlers):
        return True
    imports, plain = ast.Import | ast.ImportFrom, ast.Assign | ast.Expr | ast.Return
    little = len(part.body) <= 2 or all(isinstance(each, imports) for each in part.body)
    return (
        little
        and all(isinstance(each, imports | plain) for each in part.body)
        and any(map(_is_for_anything, part.handlers))
    )


def _is_for_anything(handler: ast.ExceptHandler) -> bool:
    return handler.type is None or bool(_ANYTHING.search(ast.unparse(handler.type)))

"""What shows that a program is Python 2, though Python 3 can read it: it would stop at once in Python 3.

It imports a module that only Python 2 has (`import cPickle`). Or a run reaches (`reached`) a name that only Python 2
defines (`for i in xrange(n)`, `itertools.izip(a, b)`), or what only its dicts did (`{}.iteritems()`). What is in a test
of the version, or in a `try` that catches the error, shows nothing; nor does a name that is bound anywhere in the file
(`from six.moves import xrange`).

`lines_of_python2` gives such names wherever they occur: where a program counts as Python 3, they are left to the user.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tf2towers.source.nodes import dotted, imported, module_of
from tf2towers.source.python2.reached import Module, Reached
from tf2towers.source.python2.tables import read_words
from tf2towers.source.script import Script
from tf2towers.source.syntax import parse

#: modules that Python 3 has under another name, or not at all
MODULES = read_words("modules")
_BUILTINS = read_words("builtins")
#: the names that only Python 2 has: those that show it where a program comes to them, and the others
NAMES = _BUILTINS | {"StandardError", "buffer", "coerce"}
#: names that modules of both Pythons have lost
_OF_MODULES = frozenset(
    f"{module}.{name}"
    for module in ("itertools", "operator", "os", "string", "sys", "types", "urllib")
    for name in read_words(f"of {module}")
)
#: a test of the version of Python, or of what there is, and one that may be
_PYTHON = re.compile(r"version_info|sys\.version|PY_?[23]|python|hasattr|builtin|globals", re.IGNORECASE)
_VERSION = re.compile(f"version|{_PYTHON.pattern}", re.IGNORECASE)
#: what a handler catches that is there for a name that is missing, and what catches that among everything else
_MISSING = re.compile(r"NameError|ImportError|ModuleNotFoundError|AttributeError")
_ANYTHING = re.compile(r"\b(Exception|StandardError|BaseException)\b")


def is_certain(modules: list[Module], main: Module) -> bool:
    """Whether Python 3 would stop in one of these modules; `main` is the script."""
    if any(_imports(module) for module in modules):
        return True
    all_bound = {module: _bound_names(module, modules) for module in modules}
    reached = Reached(modules)
    for node, module in reached:
        for part in _nodes_run_with(node, is_main=module is main):
            if _stops_python3(part, module, all_bound[module]):
                return True
            reached.follow(part, module)
    return False


def lines_of_python2(script: Script, *, is_main: bool) -> set[tuple[int, str]]:
    """The lines and names at which a module uses what only Python 2 has, but where it is ready to miss it."""
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


def _stops_python3(part: ast.AST, module: Module, bound: frozenset[str]) -> bool:
    """Whether Python 3 would stop at a node."""
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
    """Every name that a file binds, in whatever scope; all that Python 2 has where nobody knows what a star binds."""
    found = set(module.bindings)
    for node in module.nodes:
        if isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names):
            path = module.local.get(module_of(node))
            other = next((each for each in modules if each.path == path), None)
            if path not in seen and not (node.module or "").startswith("tensorflow"):
                found |= _BUILTINS if other is None else _bound_names(other, modules, seen | {module.path})
    return frozenset(found)


def _nodes_run_with(node: ast.AST, *, is_main: bool, inside: bool = False) -> Iterator[ast.AST]:
    """The nodes that are run with a module or a function, without what is ready for another Python.

    That is what a test of the version fences, and a `try` that catches the error of a name that is missing. What an
    error says, and what is done about errors of any kind, is not run as a rule. `inside` gives that all the same, and
    what is inside of functions; a name is all that may be missing then, and the version Python's.
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
    """The statements of a body up to `if PY3: return x`: what follows is for one Python alone."""
    for part in parts:
        yield part
        if isinstance(part, ast.If) and _tests_version(part.test, _PYTHON):
            ends = [body[-1] for body in (part.body, part.orelse) if body]
            if any(isinstance(end, ast.Return | ast.Raise | ast.Continue | ast.Break) for end in ends):
                return


def _tests_version(test: ast.expr, what: re.Pattern[str]) -> bool:
    """Whether a name, an attribute or a text of a test is one of the version."""
    return any(
        isinstance(node, ast.Name | ast.Attribute | ast.Constant)
        and what.search(str(node.value) if isinstance(node, ast.Constant) else dotted(node) or "") is not None
        for node in ast.walk(test)
    )


def _is_ready(part: ast.Try, missing: re.Pattern[str]) -> bool:
    """Whether a `try` is there for a name that is missing: it catches that, or has little else in it."""
    if isinstance(part.body[0], ast.Import | ast.ImportFrom):
        missing = _MISSING  # what follows is not run without it
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

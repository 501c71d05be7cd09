"""What is run of a module or a function, without what is ready for another Python: fenced by a test, or by a `try`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tf2towers.source.nodes import Function, dotted

#: a test of the version of Python, or of what there is, and one that may be
_PYTHON = re.compile(r"version_info|sys\.version|PY_?[23]|python|hasattr|builtin|globals", re.IGNORECASE)
_VERSION = re.compile(f"version|{_PYTHON.pattern}", re.IGNORECASE)
#: what a handler catches that is there for a name that is missing, and what catches that among everything else
_MISSING = re.compile(r"NameError|ImportError|ModuleNotFoundError|AttributeError")
_NO_NAME = re.compile(r"NameError")
_ANYTHING = re.compile(r"\b(Exception|StandardError|BaseException)\b")


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
        and what.search(str(node.value) if isinstance(node, ast.Constant) else dotted(node) or "") is not None
        for node in ast.walk(test)
    )


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

"""Checks whether a text is Python 3, and explains why it is not."""

from __future__ import annotations

import ast
import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import dropwhile
from pathlib import Path

from tf2towers.source.deep import LIMIT_OF_RECURSION
from tf2towers.source.errors import NotPython3, SourceError
from tf2towers.source.recent import Recent

#: syntax of Python 2 only: its print, exec, except and raise, backquotes, <>, old numbers and
#: strings
_PYTHON2 = re.compile(
    r"(?:^|[:;])\s*(?:print|exec)\s*(?:>>|[^\s=.,)(>\[:])|\bexcept\b[^:#]*,\s*\w+\s*:|\braise\s+[\w.]+\s*,|`|<>"
    r"|(?<![\w.])(?:0[0-7]+|\d+[lL])\b(?!\.)|\b[uU][rR]['\"]|\b(?:def\s+\w+|lambda)[^:#]*\((?:\s*\w+\s*,)+\s*\w*\s*\)"
)
#: the part of a line that is searched
_LONG_LINE = 2000
#: Python's own recursion limit
_USUAL_LIMIT = 1000
TOO_DEEP = (
    "it is nested more deeply than Python can parse, such as a sum of thousands of terms or a chain of elif; "
    "split it into parts"
)


def check_readable(text: str, path: Path) -> None:
    """As `check_syntax`, of a script as it was written.

    Imports from `__future__` may stand after several texts at the top, as Python 2 and 3.7 allowed
    (T2T608).
    """
    try:
        check_syntax(text, path)
    except SourceError:
        if "__future__" not in text or not _futures_come_first(text, path):
            raise
        check_syntax(_FUTURE.sub("from builtins", text), path)


def _futures_come_first(text: str, path: Path) -> bool:
    """True if only texts come before the imports from `__future__`."""
    try:
        statements = parse(text, path).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False

    def is_future(node: ast.stmt) -> bool:
        return isinstance(node, ast.ImportFrom) and node.module == "__future__"

    others = dropwhile(
        lambda node: is_future(node) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)),
        statements,
    )
    return not any(map(is_future, others))


def check_syntax(text: str, path: Path) -> None:
    """Raises SourceError, with the line, for a text that is not Python 3, or nested too deeply.

    A text that Python's grammar refuses may be Python 2, so it raises NotPython3. A text that only
    the compiler refuses (a `global` after the name's first use) was also valid up to Python 3.5, so
    it may be either.
    """
    if _checked.get((text, path)):
        return
    try:
        with _usual_recursion():
            parse(text, path)
            try:
                _compile(text, path)
            except (SyntaxError, ValueError) as problem:
                detail = f"not valid Python 3: {getattr(problem, 'msg', problem)}"
                if "global declaration" in detail:
                    detail += " (as Python 2 and 3.5 took it: move the `global` to the function's beginning)"
                raise SourceError(path, detail, getattr(problem, "lineno", None)) from None
    except (SyntaxError, ValueError) as problem:
        line = getattr(problem, "lineno", None) or None
        if line is not None and (at := _line_of_python2(text, line)) is not None:
            advice = "convert it to Python 3 first (python-modernize, or 2to3 of Python 3.12 and older)"
            raise NotPython3(path, f"this is Python 2: {advice}", at) from None
        if isinstance(problem, TabError):
            detail = "tabs and spaces are mixed in the indentation: expand the tabs first (expand -t 8)"
        else:
            detail = f"not valid Python 3: {getattr(problem, 'msg', problem)}"
            if line is not None and (found_word := _keyword_since_3_7(text, line)):
                word, advice = found_word
                detail += f" (`{word}` is a keyword since Python 3.7: {advice})"
        raise NotPython3(path, detail, line) from None
    except (RecursionError, MemoryError):
        raise SourceError(path, TOO_DEEP) from None
    _checked.keep((text, path), True, len(text))


#: the texts in which `check_syntax` found no error
_checked: Recent[bool] = Recent()


def _line_of_python2(text: str, line: int) -> int | None:
    """The line with syntax of Python 2 only: that of the error, or the one before."""
    lines = text.splitlines()
    return next(
        (
            number
            for number in (line, line - 1)
            if 0 < number <= len(lines) and _PYTHON2.search(lines[number - 1].partition("#")[0][:_LONG_LINE])
        ),
        None,
    )


def _keyword_since_3_7(text: str, line: int) -> tuple[str, str] | None:
    """The word in a line that could be a name up to Python 3.6, and what to do about it."""
    lines = text.splitlines()
    code = lines[line - 1] if line <= len(lines) else ""
    if found := re.search(r"^\s*(?:from\s+[\w.]*|import\s+[\w.,\s]*)\b(async|await)\b", code):
        return found.group(1), "rename the module, and the name in each import of it"
    found = re.search(r"\b(async|await)\s*(?!\s*(def|with|for)\b)[=,):.\]]", code)
    return (found.group(1), "add an underscore to the name, or use getattr") if found else None


@contextmanager
def _usual_recursion() -> Iterator[None]:
    """Sets Python's usual recursion limit on the deep stack as well: parsing fails as in Python."""
    with LIMIT_OF_RECURSION:
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(min(limit, _USUAL_LIMIT))
        try:
            yield
        finally:
            sys.setrecursionlimit(limit)


def parse(text: str, path: Path) -> ast.Module:
    """Parses a text to Python's syntax tree, without warnings about its escapes.

    One thread at a time: Python 3.11 counts the depth of trees for all threads together. It raises
    an error if another thread changes the limit ("AST constructor recursion depth mismatch",
    python/cpython issue 106905).
    """
    return _parsed.get((text, path)) or _parsed.keep((text, path), _parse(text, path), len(text))


#: the results of `parse`
_parsed: Recent[ast.Module] = Recent()


def _parse(text: str, path: Path) -> ast.Module:
    with LIMIT_OF_RECURSION, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text, filename=str(path))


_FUTURE = re.compile(r"^from[ \t]+__future__\b", re.MULTILINE)


def _compile(text: str, path: Path) -> None:
    """Compiles a text to find errors that the parser does not.

    A notebook's cells may have a top-level `await`, and each may begin with imports from
    `__future__`.
    """
    flags = 0
    if path.suffix == ".ipynb":
        flags, text = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, _FUTURE.sub("from builtins", text)
    with warnings.catch_warnings(), suppress(RecursionError):  # the parser checks the depth
        warnings.simplefilter("ignore")
        compile(text, str(path), "exec", flags=flags, dont_inherit=True)

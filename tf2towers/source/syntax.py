"""Whether a text is Python, and when it is not, whether it is Python 2 and where that shows."""

from __future__ import annotations

import ast
import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tf2towers.source.errors import NotPython3, SourceError

#: What only Python 2 can read, one pattern a construct, looked for in the line the parser stumbled on.
_PYTHON2 = (
    ("the print statement", re.compile(r"(^|[:;])\s*print\b(?!\s*([=.,)(>]|$))")),
    ("print >>stream", re.compile(r"(^|[:;])\s*print\s*>>")),
    ("except Error, name", re.compile(r"\bexcept\s+[\w.()\s,]+,\s*\w+\s*:")),
    ("raise Error, message", re.compile(r"\braise\s+[\w.]+\s*,")),
    ("the exec statement", re.compile(r"(^|[:;])\s*exec\s+[^=\s(]")),
    ("backquotes", re.compile(r"`[^`]+`")),
    ("the operator <>", re.compile(r"<>")),
    ("an old octal number", re.compile(r"(?<![\w.])0[0-7]+\b(?!\.)")),
    ("a long number", re.compile(r"(?<![\w.])\d+[lL]\b")),
    ("an ur'' string", re.compile(r"\b[uU][rR]['\"]")),
    ("a tuple parameter", re.compile(r"\b(def\s+\w+\s*\([^)]*|lambda[^:]*)\((\s*\w+\s*,)+\s*\w*\s*\)")),
)
#: as much of a line as is looked at
_LONG_LINE = 2000
#: Python's own
_USUAL_LIMIT = 1000
TOO_DEEP = (
    "it is nested more deeply than Python can parse: a sum of thousands of terms, say, or a chain of elif; "
    "write it in parts"
)
_ADVICE = "convert it to Python 3 first (python-modernize, or 2to3 of Python 3.12 and older)"


def check_syntax(text: str, path: Path) -> None:
    """SourceError with the line when a text is not Python 3, or nested more deeply than Python itself takes.

    NotPython3, where it may be Python 2, is for what Python's grammar does not know. What only the compiler refuses (a
    `global` after the name's first use) was valid up to Python 3.5 as well: which of the two it is stays open.
    """
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
        if line is not None:
            found = python2_construct(text, line)
            if found is not None:
                name, line = found
                raise NotPython3(path, f"this is Python 2 ({name}): {_ADVICE}", line) from None
        if isinstance(problem, TabError):
            detail = _mixed_indentation(text, path)
        else:
            detail = f"not valid Python 3: {getattr(problem, 'msg', problem)}"
            if line is not None and (found_word := _keyword_since_3_7(text, line)):
                word, advice = found_word
                detail += f" (`{word}` is a keyword since Python 3.7: {advice})"
        raise NotPython3(path, detail, line) from None
    except (RecursionError, MemoryError):
        raise SourceError(path, TOO_DEEP) from None


def _mixed_indentation(text: str, path: Path) -> str:
    """What to say of tabs and spaces that Python 3 does not take: to expand them, where that is enough."""
    detail = "tabs and spaces are mixed in the indentation"
    try:
        parse(text.expandtabs(8), path)
    except SyntaxError as problem:
        return (
            f"{detail}, and with tabs of 8 columns, as Python 2 reads them, line {problem.lineno} is wrong as well "
            f"({problem.msg})"
        )
    return f"{detail}: expand the tabs first (expand -t 8)"


def _keyword_since_3_7(text: str, line: int) -> tuple[str, str] | None:
    """The word of a line that was a name for Python 2 and up to 3.6, and what to do about it."""
    lines = text.splitlines()
    code = lines[line - 1] if line <= len(lines) else ""
    if found := re.search(r"^\s*(?:from\s+[\w.]*|import\s+[\w.,\s]*)\b(async|await)\b", code):
        return found.group(1), "rename the module, and the name in each import of it"
    found = re.search(r"\b(async|await)\s*(?!\s*(def|with|for)\b)[=,):.\]]", code)
    return (found.group(1), "give the name an underscore, or use getattr") if found else None


@contextmanager
def _usual_recursion() -> Iterator[None]:
    """What Python says of a text when it is started, also on the deep stack."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(min(limit, _USUAL_LIMIT))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


def parse(text: str, path: Path) -> ast.Module:
    """Python's own syntax tree, without the warnings about the script's string escapes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text, filename=str(path))


def _compile(text: str, path: Path) -> None:
    """What Python still finds wrong with a text that its grammar takes. A notebook's cells may wait for something."""
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT if path.suffix == ".ipynb" else 0
    with warnings.catch_warnings(), suppress(RecursionError):  # how deep it may be is the parser's to say
        warnings.simplefilter("ignore")
        compile(text, str(path), "exec", flags=flags, dont_inherit=True)


def python2_construct(text: str, line: int) -> tuple[str, int] | None:
    """The Python 2 construct in a line of a text or in the line before it, and its line; None without."""
    lines = text.splitlines()
    for number in (line, line - 1):
        if 0 < number <= len(lines):
            code = _without_comment(lines[number - 1][:_LONG_LINE])
            for name, pattern in _PYTHON2:
                if pattern.search(code):
                    return name, number
    return None


def _without_comment(line: str) -> str:
    """A line up to a `#` that is not inside a string, as well as one line can say."""
    quote = ""
    for position, character in enumerate(line):
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character == "#":
            return line[:position]
    return line

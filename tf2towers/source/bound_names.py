"""The names that a module has once it has run."""

from __future__ import annotations

import ast
import re
import symtable
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tf2towers.source.syntax import parse

#: what gives a module names that its text does not bind
_BY_OTHER_MEANS = re.compile(
    r"\b(?:globals|vars|locals|setattr|exec|execfile)\s*\(|\bexec\s|^def __getattr__|\bmodules\[",
    re.MULTILINE,
)
_ALL_OF = re.compile(r"import\s*\*")


@dataclass(frozen=True)
class BoundNames:
    """The names of a module."""

    own: frozenset[str]
    #: the modules it takes all names of, `from x import *`: the dots before the name, and the name
    all_of: tuple[tuple[int, str], ...]


def may_bind(file: Path, names: frozenset[str]) -> bool:
    """Whether the text of a module says one of these names, or has names by other means: a quick look."""
    try:
        text = file.read_bytes().decode("latin-1")
    except OSError:  # it cannot be read, and so nobody knows
        return True
    return any(name in text for name in names) or bool(_BY_OTHER_MEANS.search(text) or _ALL_OF.search(text))


def bound_names(file: Path, text_of: Callable[[Path], str | None]) -> BoundNames | None:
    """The names that a file binds at its top, or from functions with `global`; None where they cannot be seen."""
    text = text_of(file)
    if text is None or _BY_OTHER_MEANS.search(text):
        return None
    tree = parse(text, file)
    star = [
        (node.level, node.module or "")
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names)
    ]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about the file's escapes
            table = symtable.symtable(text, str(file), "exec")
    except SyntaxError:  # the parser takes more than the compiler
        return None
    return BoundNames(frozenset(_global(table)), tuple(star))


def _global(table: symtable.SymbolTable) -> Iterator[str]:
    top = table.get_type() == "module"
    for symbol in table.get_symbols():
        if (symbol.is_assigned() or symbol.is_imported()) and (top or symbol.is_declared_global()):
            yield symbol.get_name()
    for child in table.get_children():
        yield from _global(child)

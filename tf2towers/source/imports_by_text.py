"""Modules that a file imports by a text: `import_module('models.' + name)`, `__import__('data')`.

Of a text that is computed, what is written out of it says which modules it may mean: `models.` and anything. A module
that is loaded by its path (`imp.load_source`) is one of them, too.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from tf2towers.source.nodes import argument, bound_by, imported, last_name, root_of
from tf2towers.source.written_texts import HOLE, WrittenTexts

#: functions that import by a name
_BY_NAME = frozenset({"import_module", "__import__", "run_module"})
#: functions that load a file -> the place of the path among their arguments
_BY_PATH = {"load_source": 1, "run_path": 0, "SourceFileLoader": 1, "spec_from_file_location": 1}

#: a text, in which None stands for what is computed
Parts = tuple[str | None, ...]


@dataclass(frozen=True)
class ImportByText:
    """One such call."""

    call: ast.Call
    #: the text, as far as it is written out
    parts: Parts
    #: whether it is a path of a file
    is_path: bool = False
    #: the package that a relative name is taken from; None: the file's own
    package: str | None = None
    #: the expression that gives the text
    named: ast.expr | None = None

    @property
    def place(self) -> tuple[int, int]:
        """The line of the call, from 1, and its column in bytes."""
        return self.call.lineno, self.call.col_offset

    @property
    def is_written_out(self) -> bool:
        """Whether the whole text is in the call."""
        return None not in self.parts

    @property
    def start(self) -> str:
        """What the text begins with; empty where that is computed."""
        return self.parts[0] or ""

    @property
    def shown(self) -> str:
        """The text, with a star for what is computed."""
        return "".join("*" if part is None else part for part in self.parts)

    def means(self, dotted: str) -> bool:
        """Whether the text may be the name of that module."""
        pattern = "".join(r"[\w.]*" if part is None else re.escape(part) for part in self.parts)
        return re.fullmatch(pattern, dotted) is not None


def imports_by_text(tree: ast.Module, text: str) -> Iterator[ImportByText]:
    """Every import by a text in a module, given as its tree and its text."""
    if not any(function in text for function in (*_BY_NAME, *_BY_PATH, "exec")):
        return
    imports = _imported(tree)
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        function = _function(node.func, imports)
        if function in _BY_NAME:
            if (named := argument(node, 0, "name", "mod_name")) is not None:
                yield _by_name(node, named)
        elif function in _BY_PATH:
            named = argument(node, _BY_PATH[function], "pathname", "path", "path_name", "location")
            parts = _parts(named) if named is not None else (None,)
            yield ImportByText(node, parts, is_path=True, named=named)
        elif isinstance(node.func, ast.Name) and node.func.id == "exec" and node.args:
            if (read := _file_that_is_read(node.args[0], text)) is not None:
                yield ImportByText(node, read, is_path=True)


def default_of_flag(tree: ast.Module, flag: ast.expr | None) -> str | None:
    """The text that `FLAGS.model` or `args.model` is by default, where the module defines the flag."""
    if not isinstance(flag, ast.Attribute):
        return None
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and call.args and isinstance(call.args[0], ast.Constant):
            name = str(call.args[0].value).lstrip("-").replace("-", "_")
            options = [str(each.value).lstrip("-") for each in call.args if isinstance(each, ast.Constant)]
            if last_name(call.func) in ("DEFINE_string", "DEFINE_enum") and name == flag.attr:
                default = argument(call, 1, "default", "default_value")
            elif last_name(call.func) == "add_argument" and flag.attr in options:
                default = next((each.value for each in call.keywords if each.arg == "default"), None)
            else:
                continue
            if isinstance(default, ast.Constant) and isinstance(default.value, str):
                return default.value or None
    return None


def _file_that_is_read(text: ast.expr, module: str) -> Parts | None:
    """The path of the file whose text is given to `exec`; of one that was read before, nothing is known."""
    for call in ast.walk(text):
        if isinstance(call, ast.Call) and call.args and ast.unparse(call.func) in ("open", "io.open"):
            return _parts(call.args[0])
    if isinstance(text, ast.Name):
        return (None,) if re.search(rf"\b{text.id}\s*=.*(read|open)\(", module) else None
    return (None,) if ast.unparse(text).endswith(".read()") else None


def _by_name(call: ast.Call, named: ast.expr) -> ImportByText:
    package, parts = argument(call, 1, "package"), _parts(named)
    if (parts[0] or "").startswith(".") and package is not None:
        if isinstance(package, ast.Constant) and isinstance(package.value, str):
            return ImportByText(call, parts, package=package.value, named=named)
        if not (isinstance(package, ast.Name) and package.id in ("__name__", "__package__")):
            return ImportByText(call, (None,), named=named)
    return ImportByText(call, parts, named=named)


def _imported(tree: ast.Module) -> dict[str, str]:
    """The names that imports give, ours left out, and what they are: `load` for `import_module as load`."""
    imports = (node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom))
    names = (found for node in imports for found in imported(node))
    return {bound_by(alias): alias.name for alias, name in names if not name.startswith("tf2towers.")}


def _function(function: ast.expr, imports: dict[str, str]) -> str:
    """The name of a function of Python that a call may mean; nothing for one of the script's own."""
    root = root_of(function)
    if not isinstance(root, ast.Name) or root.id not in imports.keys() | {"__import__", "builtins"}:
        return ""
    return last_name(function) if root is not function else imports.get(root.id, root.id)


def _parts(text: ast.expr) -> Parts:
    """A text's parts; two computed ones are never side by side."""
    written = WrittenTexts(holes=True).of(text) or HOLE
    return tuple(None if HOLE in part else part for part in re.split(f"({HOLE}+)", written) if part)

"""Modules that a file imports by a text: `import_module('models.' + name)`, `__import__('data')`.

Of a text that is computed, what is written out of it says which modules it may mean: `models.` and anything. A file
that is loaded by its path (`imp.load_source`, `exec(open('a.py').read())`) is seen, and not looked into.
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
#: functions that load a file
_BY_PATH = frozenset({"load_source", "run_path", "SourceFileLoader", "spec_from_file_location"})

#: a text, in which None stands for what is computed
Parts = tuple[str | None, ...]


@dataclass(frozen=True)
class ImportByText:
    """One such call."""

    call: ast.Call
    #: the text, as far as it is written out
    parts: Parts
    #: whether it loads a file
    is_path: bool = False
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
        elif function in _BY_PATH or _runs_file(node, text):
            yield ImportByText(node, (None,), is_path=True)


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


def _runs_file(call: ast.Call, module: str) -> bool:
    """Whether a call of `exec` is given the text of a file."""
    if not (isinstance(call.func, ast.Name) and call.func.id == "exec" and call.args):
        return False
    text = ast.unparse(call.args[0])
    if isinstance(call.args[0], ast.Name):
        return re.search(rf"\b{text}\s*=.*(read|open)\(", module) is not None
    return "open(" in text or text.endswith(".read()")


def _by_name(call: ast.Call, named: ast.expr) -> ImportByText:
    package, parts = argument(call, 1, "package"), _parts(named)
    own = isinstance(package, ast.Name) and package.id in ("__name__", "__package__")
    is_of_another = (parts[0] or "").startswith(".") and package is not None and not own
    if is_of_another and isinstance(package, ast.Constant):  # '.vgg' in 'models'
        name = (parts[0] or "").lstrip(".")
        around = str(package.value).rsplit(".", len(parts[0] or "") - len(name) - 1)[0]
        return ImportByText(call, (f"{around}.{name}", *parts[1:]), named=named)
    return ImportByText(call, (None,) if is_of_another else parts, named=named)


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

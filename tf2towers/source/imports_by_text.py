"""Finds imports by a string: `import_module('models.' + name)`, `__import__('data')`.

If the string is computed, its constant parts show which modules it may name: `models.` and any
rest. Or it is one of a dictionary's texts, or of a flag's choices. So it is with a load of a file
by its path (`imp.load_source`). Of `exec(open('a.py').read())` the file is not read.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from tf2towers.source.ast_nodes import argument, bound_by, imported, last_name, root_of
from tf2towers.source.written_texts import HOLE, WrittenTexts

#: functions that import by a name
_BY_NAME = frozenset({"import_module", "__import__", "run_module"})
#: functions that load a file -> the place of the path, and its name
_BY_PATH = {
    "load_source": (1, "pathname"),
    "run_path": (0, "path_name"),
    "SourceFileLoader": (1, "path"),
    "spec_from_file_location": (1, "location"),
}

#: the parts of a string; None stands for a computed part
Parts = tuple[str | None, ...]


@dataclass(frozen=True)
class ImportByText:
    """A call that imports a module named by a string, or loads a file."""

    call: ast.Call
    #: the parts of the string
    parts: Parts
    #: whether the call loads a file
    is_path: bool = False
    #: the expression of the string
    named: ast.expr | None = None
    #: all strings that it can be, where a dictionary or a flag says them
    choices: tuple[str, ...] = ()

    @property
    def place(self) -> tuple[int, int]:
        """The line of the call, from 1, and its column in bytes."""
        return self.call.lineno, self.call.col_offset

    @property
    def is_written_out(self) -> bool:
        """True if the whole string is constant."""
        return None not in self.parts

    @property
    def start(self) -> str:
        """The constant beginning of the string; empty if its beginning is computed."""
        return self.parts[0] or ""

    @property
    def shown(self) -> str:
        """The string, with a star for each computed part."""
        return "".join("*" if part is None else part for part in self.parts)

    def means(self, dotted: str) -> bool:
        """True if the string may be the name of this module."""
        pattern = "".join(r"[\w.]*" if part is None else re.escape(part) for part in self.parts)
        return re.fullmatch(pattern, dotted) is not None


def imports_by_text(tree: ast.Module, text: str) -> Iterator[ImportByText]:
    """Yields every import by a string, and every load of a file, in a module."""
    if not any(function in text for function in (*_BY_NAME, *_BY_PATH, "exec")):
        return
    imports = _imported(tree)
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        function = _function(node.func, imports)
        if function in _BY_NAME:
            if (named := argument(node, 0, "name", "mod_name")) is not None:
                found = _by_name(node, named)
                yield found if found.start else replace(found, choices=_choices(tree, named))
        elif function in _BY_PATH:
            path = argument(node, *_BY_PATH[function])
            parts = _parts(path) if path is not None else (None,)
            choices = _choices(tree, path) if path is not None and parts == (None,) else ()
            yield ImportByText(node, parts, True, path, choices)
        elif _runs_file(node, text):
            yield ImportByText(node, (None,), is_path=True)


def default_of_flag(tree: ast.Module, flag: ast.expr | None) -> str | None:
    """The default string of a flag such as `FLAGS.model`, if the module defines the flag."""
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


def _choices(tree: ast.Module, named: ast.expr) -> tuple[str, ...]:
    """All texts of a dictionary that is looked into, or of a flag's choices, if seen.

    A name stands for what it is bound to, once in the module.
    """
    if isinstance(named, ast.Name):
        values = [
            node.value
            for node in ast.walk(tree)
            if isinstance(node, ast.Assign)
            and any(isinstance(each, ast.Name) and each.id == named.id for each in node.targets)
        ]
        return _choices(tree, values[0]) if len(values) == 1 and not isinstance(values[0], ast.Name) else ()
    if isinstance(named, ast.Subscript) and isinstance(named.value, ast.Name):
        return _texts_of(tree, named.value.id)
    if isinstance(named, ast.Call) and isinstance(named.func, ast.Attribute) and named.func.attr == "get":
        table = named.func.value
        return _texts_of(tree, table.id) if isinstance(table, ast.Name) and len(named.args) == 1 else ()
    if isinstance(named, ast.Attribute):
        for call in ast.walk(tree):
            if isinstance(call, ast.Call) and last_name(call.func) in ("add_argument", "DEFINE_enum"):
                names = {str(each.value).lstrip("-").replace("-", "_") for each in call.args
                         if isinstance(each, ast.Constant)}  # fmt: skip
                given = argument(call, 2, "choices", "enum_values")
                if named.attr in names and isinstance(given, ast.List | ast.Tuple):
                    texts = [each.value for each in given.elts if isinstance(each, ast.Constant)]
                    return tuple(map(str, texts)) if len(texts) == len(given.elts) else ()
    return ()


def _texts_of(tree: ast.Module, name: str) -> tuple[str, ...]:
    """The values of a dictionary of texts that a name is bound to, once."""
    bound = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)
    ]
    tables = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict) and node.targets[0] in bound
    ]
    if len(bound) != 1 or len(tables) != 1:
        return ()
    values = [each.value for each in tables[0].values if isinstance(each, ast.Constant)]
    return tuple(map(str, values)) if len(values) == len(tables[0].values) else ()


def _runs_file(call: ast.Call, module: str) -> bool:
    """True if a call is an `exec` of the text of a file."""
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
    """Name bound by an import -> name of the imported object; imports of tf2towers are left out."""
    imports = (node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom))
    names = (found for node in imports for found in imported(node))
    return {bound_by(alias): alias.name for alias, name in names if not name.startswith("tf2towers.")}


def _function(function: ast.expr, imports: dict[str, str]) -> str:
    """The name of the imported or built-in function that is called; empty for others."""
    root = root_of(function)
    if not isinstance(root, ast.Name) or root.id not in imports.keys() | {"__import__", "builtins"}:
        return ""
    return last_name(function) if root is not function else imports.get(root.id, root.id)


def _parts(text: ast.expr) -> Parts:
    """The parts of a string; two computed parts are never adjacent."""
    written = WrittenTexts(holes=True).of(text) or HOLE
    return tuple(None if HOLE in part else part for part in re.split(f"({HOLE}+)", written) if part)

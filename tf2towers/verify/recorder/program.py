"""Runs a script as the main program: its file, or the texts that `verify` gives in place of it and its modules.

A notebook's cells run one after another in one module. A text that was converted from Python 2 runs in place of its
file: where the script, or a module that it imports, is one.
"""

import __future__

import ast
import importlib.machinery
import linecache
import os
import runpy
import sys
import types
from typing import Any, Dict, List, Tuple

from .wrapping import wrap

#: the flags of a compiled text that the next cell inherits: imports from `__future__`
_FUTURE = 0
for _name in __future__.all_feature_names:
    _FUTURE |= getattr(__future__, _name).compiler_flag

#: the name under which a converted text is compiled -> its file, and its lines in the file
_CONVERTED = {}  # type: Dict[str, Tuple[str, List[int]]]


def run_program(script: str, options: Dict[str, Any]) -> None:
    """Runs the script as the main program.

    Args:
        options: the recorder's, see `tf2towers.verify.texts.Texts.settings`.
    """
    converted = options.get("converted") or {}
    if converted:
        _convert_modules(converted)
    if options.get("cells"):
        folder = os.path.dirname(os.path.abspath(script))
        module = _main_module()
        module.__dict__.update(display=print, get_ipython=_NoShell)
        os.environ.setdefault("MPLBACKEND", "Agg")  # %matplotlib is left out
        _run_texts([(os.path.join(folder, title), text) for title, text in options["cells"]], module)
    elif script in converted:
        module = _main_module()
        module.__file__ = script
        _run_texts([(_name_of_converted(script, converted), converted[script][0])], module)
    else:
        runpy.run_path(script, run_name="__main__")


def place_in_file(name: str, line: int) -> Tuple[str, int]:
    """The file and the line that a line of a compiled text came from."""
    if name not in _CONVERTED:
        return name, line
    file, lines = _CONVERTED[name]
    return file, lines[min(line, len(lines)) - 1]


class _NoShell(object):
    """In place of `get_ipython()`: its magics do nothing."""

    def __getattr__(self, name: str) -> Any:
        return lambda *_, **__: None


def _main_module() -> Any:
    sys.modules["__main__"] = types.ModuleType("__main__")
    return sys.modules["__main__"]


def _run_texts(texts: List[Tuple[str, str]], module: Any) -> None:
    """Runs texts in a module, one statement after another as Jupyter does; tracebacks show the names."""
    flags = 0
    for name, text in texts:
        _remember(name, text)
        tree = ast.parse(text, name)
        for statement in list(tree.body):
            tree.body = [statement]
            code = compile(tree, name, "exec", flags, True)
            flags |= code.co_flags & _FUTURE
            exec(code, module.__dict__)


def _remember(name: str, text: str) -> None:
    """Lets tracebacks, and TensorFlow's AutoGraph, find the lines of a text."""
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)


def _name_of_converted(path: str, converted: Dict[str, Any]) -> str:
    name = path + " (in Python 3)"
    text, lines = converted[path]
    _CONVERTED[name] = path, lines
    _remember(name, text)
    return name


def _convert_modules(converted: Dict[str, Any]) -> None:
    """From now on, a module whose file has a converted text is that text."""

    def get_code(own: Any, loader: Any, fullname: str) -> Any:
        path = loader.get_filename(fullname)
        if path not in converted:
            return own(loader, fullname)
        return compile(converted[path][0], _name_of_converted(path, converted), "exec", 0, True)

    wrap(importlib.machinery.SourceFileLoader, "get_code", get_code)

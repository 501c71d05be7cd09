"""A function of Python's module `imp`, which Python 3.12 removed, as Python 3.11 had it."""

import importlib.machinery
import importlib.util
import os
import sys
from types import ModuleType


def load_source(name: str, path: str | os.PathLike[str]) -> ModuleType:
    """`imp.load_source`: loads a file as the module `name`, which is executed again.

    Raises:
        FileNotFoundError: there is no such file.
    """
    loader = importlib.machinery.SourceFileLoader(name, os.fspath(path))
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    assert spec is not None
    is_new = name not in sys.modules
    module = sys.modules.setdefault(name, importlib.util.module_from_spec(spec))
    module.__spec__ = spec
    try:
        loader.exec_module(module)
    except BaseException:
        if is_new:
            del sys.modules[name]
        raise
    return sys.modules[name]

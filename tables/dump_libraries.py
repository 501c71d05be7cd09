"""Writes what the libraries of an interpreter have, for `make_libraries.py`: run by the old interpreter itself.

    python2.7 dump_libraries.py > python27.json
    python3.6 dump_libraries.py numpy,scipy,PIL,sklearn > python36.json

Without a library it is Python's own modules alone. The text is Python 2 and Python 3.
"""

from __future__ import print_function

import importlib
import json
import os
import pkgutil
import sys
import types
import warnings

#: they open windows, browsers or other programs when they are imported, or are no library
LEFT_OUT = {
    "antigravity",
    "idlelib",
    "lib2to3",
    "site-packages",
    "test",
    "this",
    "tkinter",
    "turtledemo",
    "Tkinter",
}
NO_PART = {"__main__", "conftest", "setup", "test", "tests", "testing", "idle_test"}


def own_modules():
    """The names of Python's own modules."""
    folders = [
        path
        for path in sys.path
        if os.path.basename(path) in ("lib-dynload", "python%d.%d" % sys.version_info[:2])
    ]
    found = {module[1] for module in pkgutil.iter_modules(folders)} | set(sys.builtin_module_names)
    return sorted(name for name in found if not name.startswith("_") and name not in LEFT_OUT)


def look(name, depth, found):
    """Adds a module's public names, with the NumPy name that each is the same object as, and those of its parts."""
    try:
        module = importlib.import_module(name)
    except BaseException:  # a part for another system
        return
    numpy = sys.modules.get("numpy")
    names = {}
    for attribute in dir(module):
        if not attribute.startswith("_"):
            value = getattr(module, attribute, None)
            if isinstance(value, types.ModuleType) and "." in name:
                continue
            same = numpy is not None and name != "numpy" and getattr(numpy, attribute, names) is value
            names[attribute] = "numpy" if same else ""
    found[name] = names
    if depth and hasattr(module, "__path__"):
        for part in pkgutil.iter_modules(module.__path__):
            if not part[1].startswith("_") and part[1] not in NO_PART:
                look(name + "." + part[1], depth - 1, found)


def main():
    """Prints the names as JSON."""
    warnings.simplefilter("ignore")
    found = {}
    libraries = sys.argv[1].split(",") if len(sys.argv) > 1 else []
    for name in libraries:
        importlib.import_module(name)
    for name in own_modules():
        look(name, 2, found)
    for name in libraries:
        look(name, 2, found)
    sys.__stdout__.write(json.dumps(found, indent=0, sort_keys=True) + "\n")


if __name__ == "__main__":
    sys.stdout = sys.stderr  # modules print when they are imported
    main()

"""Writes what the libraries of an interpreter have, for `make_libraries.py`: run by the old interpreter itself.

    python2.7 dump_libraries.py python > python27.json
    python3.6 dump_libraries.py python,numpy,scipy,PIL,sklearn > python36.json
    python3.7 dump_libraries.py matplotlib,skimage,cv2 > python37_others.json

`python` stands for Python's own modules. Of each module it writes the names ("names"), and of each function and class
the parameters ("parameters": name, whether it is taken by place, by keyword, both or as `*` or `**`; Python 3 only).
The text is Python 2 and Python 3.
"""

from __future__ import print_function

import importlib
import inspect
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
#: how `inspect.Parameter.kind` is written
PLACE_OR_KEYWORD = {0: "place", 1: "both", 2: "*", 3: "keyword", 4: "**"}


def own_modules():
    """The names of Python's own modules."""
    folders = [
        path
        for path in sys.path
        if os.path.basename(path) in ("lib-dynload", "python%d.%d" % sys.version_info[:2])
    ]
    found = {module[1] for module in pkgutil.iter_modules(folders)} | set(sys.builtin_module_names)
    return sorted(name for name in found if not name.startswith("_") and name not in LEFT_OUT)


def parameters_of(value):
    """The parameters of a function or class; None where they cannot be told."""
    called = getattr(value, "__init__", None) if isinstance(value, type) else value
    is_known = isinstance(called, (types.FunctionType, types.MethodType))
    is_known = is_known or getattr(value, "__text_signature__", None) is not None
    if not hasattr(inspect, "signature") or not (
        is_known or type(value).__name__ == "_ArrayFunctionDispatcher"
    ):
        return None  # some of Cython crash `inspect`
    try:
        found = inspect.signature(value).parameters.values()
    except (TypeError, ValueError, AttributeError):
        return None
    return [[parameter.name, PLACE_OR_KEYWORD[int(parameter.kind)]] for parameter in found]


def home_of(value):
    """The first name of the module that a value comes from."""
    home = "__future__" if type(value).__module__ == "__future__" else getattr(value, "__module__", None)
    return home.partition(".")[0] if isinstance(home, str) else ""


def look(name, depth, found, parameters, own):
    """Adds a module's public names, with the NumPy name that each is the same object as, and those of its parts.

    What a library has from Python's own modules is not its own.
    """
    try:
        module = importlib.import_module(name)
    except BaseException:  # a part for another system
        return
    numpy = sys.modules.get("numpy")
    names = {}
    for attribute in dir(module):
        if attribute and not attribute.startswith("_"):
            value = getattr(module, attribute, None)
            if isinstance(value, types.ModuleType) and "." in name:
                continue
            if name.partition(".")[0] not in own and home_of(value) in own:
                continue  # `from warnings import warn`
            same = numpy is not None and name != "numpy" and getattr(numpy, attribute, names) is value
            names[attribute] = "numpy" if same else ""
            taken = parameters_of(value) if callable(value) else None
            if taken is not None:
                parameters[name + "." + attribute] = taken
    found[name] = names
    if depth and hasattr(module, "__path__"):
        for part in pkgutil.iter_modules(module.__path__):
            if not part[1].startswith("_") and part[1] not in NO_PART:
                look(name + "." + part[1], depth - 1, found, parameters, own)


def main():
    """Prints the names and parameters as JSON."""
    warnings.simplefilter("ignore")
    found, parameters = {}, {}
    libraries = sys.argv[1].split(",")
    for name in libraries:
        if name != "python":
            importlib.import_module(name)
    own = {*own_modules(), "__future__"}
    for name in libraries:
        for module in sorted(own) if name == "python" else [name]:
            look(module, 2, found, parameters, own)
    written = {"names": found, "parameters": parameters}
    sys.__stdout__.write(json.dumps(written, indent=0, sort_keys=True) + "\n")


if __name__ == "__main__":
    sys.stdout = sys.stderr  # modules print when they are imported
    main()

"""Replaces functions wherever a module or class of the process holds them: `from os import remove` did so early."""

import sys
from types import ModuleType
from typing import Any, Dict, Iterator, Tuple

_OURS = __name__.rpartition(".")[0]
#: The import system and the C modules keep the real functions.
_LEFT = ("posix", "_io", "_frozen_importlib", "_frozen_importlib_external", "importlib", "zipimport")


class Swaps:
    """Pairs of an original and what stands in for it."""

    def __init__(self) -> None:
        self._new: Dict[int, Tuple[Any, Any]] = {}  # id of the original -> (original, new)

    def set(self, holder: Any, name: str, new: Any) -> None:
        """One attribute now, and all others with its value from `everywhere` on."""
        original = getattr(holder, name)
        self._new[id(original)] = (original, new)
        setattr(holder, name, new)

    def everywhere(self) -> None:
        """In the globals of all modules, and in the classes of `pathlib` and `glob`, which hold functions of `os`."""
        for name, module in list(sys.modules.items()):
            if not isinstance(module, ModuleType) or name in _LEFT:
                continue
            if name == _OURS or name.startswith(_OURS + "."):
                continue
            space = object.__getattribute__(module, "__dict__")  # TF's lazy modules: without loading them
            for key, value in list(space.items()):
                found = self._new.get(id(value))
                if found is not None and found[0] is value:
                    space[key] = found[1]
        for held in _classes():
            for key, value in list(vars(held).items()):
                function = value.__func__ if isinstance(value, staticmethod) else value
                function = getattr(function, "__wrapped__", function)  # Python 3.6: a function around it
                found = self._new.get(id(function))
                if found is not None and found[0] is function:
                    setattr(held, key, staticmethod(found[1]))


def _classes() -> Iterator[type]:
    for name in ("pathlib", "pathlib._abc", "pathlib._local", "glob"):
        for value in list(vars(sys.modules.get(name, sys)).values()):
            if isinstance(value, type) and value.__module__ == name:
                yield value

"""Import finders: one runs an action once a module is imported, one finds a migrated script's own modules."""

import os
import random
import sys
from importlib.machinery import PathFinder
from typing import Any, Callable, List


class WhenImported:
    """A finder, before all others, that calls an action when a named module has been imported by the script.

    It never imports the module itself: a script may not need it.
    """

    def __init__(self) -> None:
        self._actions = {}  # type: dict[str, Callable[[Any], None]]
        sys.meta_path.insert(0, self)

    def then(self, name: str, action: Callable[[Any], None]) -> None:
        """Calls `action(module)` when the module has run, before the code that imports it continues.

        Python's random generator is restored: rich, which Keras imports, draws from it.
        """
        self._actions[name] = action

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """Finds the spec with another finder, and adds the action to its loader. Called by Python."""
        if name not in self._actions:  # kept until the module has run: the caller may only want its spec
            return None
        for finder in sys.meta_path:
            find_spec = getattr(finder, "find_spec", None)
            spec = None if finder is self or find_spec is None else find_spec(name, path, target)
            if spec is not None:
                break
        else:
            return None
        run = spec.loader.exec_module

        def run_and_act(module: Any) -> None:
            state = random.getstate()
            run(module)
            random.setstate(state)
            self._actions.pop(name, _do_nothing)(module)

        spec.loader.exec_module = run_and_act
        return spec


def _do_nothing(_: Any) -> None:
    """The action of a module whose action has already run."""


class OwnModules(object):
    """A finder, before all others, of a migrated script's own modules, instead of those beside the original.

    Both scripts run in the user's folder, mostly beside the original. There, a relative entry of `sys.path` ('../',
    'lib') would lead a migrated script to the original's modules. Here it is relative to the migrated one's folder.

    Args:
        home: the folder of the migrated script.
        original: the folder of its original.
    """

    def __init__(self, home: str, original: str) -> None:
        self._home, self._original = os.path.abspath(home), os.path.abspath(original)
        self._start = os.getcwd()

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """Finds the spec of a module in a relative `sys.path` entry, from the script's folder. Called by Python."""
        if path is not None or "." in name:
            return None
        for entry in sys.path:
            own = self._own(entry)
            if own != entry:
                spec = PathFinder.find_spec(name, [own])
                if spec is not None and spec.origin not in (None, "namespace"):
                    return spec
            elif PathFinder.find_spec(name, [entry]) is not None:
                return None
        return None

    def _own(self, entry: str) -> str:
        if not entry or os.path.isabs(entry):
            return entry
        return os.path.join(self._home, os.path.relpath(os.path.join(self._start, entry), self._original))

    def of_the_original(self) -> List[str]:
        """The imported files of the original's folders, by their paths relative to its own."""
        relative = [entry for entry in sys.path if self._own(entry) != entry]
        folders = {self._original, *(os.path.abspath(os.path.join(self._start, entry)) for entry in relative)}
        beside = tuple(folder + os.sep for folder in folders)
        found = []
        for module in list(sys.modules.values()):
            file = os.path.abspath(str(getattr(module, "__file__", None) or ""))
            if file.startswith(beside) and not file.startswith(self._home + os.sep):
                if "site-packages" not in file:
                    found.append(os.path.relpath(file, self._original))
        return sorted(found)

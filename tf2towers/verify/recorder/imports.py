"""Finders of modules: what is to happen once one has been imported, and where a migrated script finds its own."""

import os
import random
import sys
from importlib.machinery import PathFinder
from typing import Any, Callable, List


class WhenImported:
    """A finder that comes first, finds nothing by itself, and acts when a module that was named to it is complete.

    Not before: a script may never import it.
    """

    def __init__(self) -> None:
        self._actions = {}  # type: dict[str, Callable[[Any], None]]
        sys.meta_path.insert(0, self)

    def then(self, name: str, action: Callable[[Any], None]) -> None:
        """Calls `action(module)` when the module has run, before whoever imports it gets it.

        Python's generator is then as it was before: rich, which Keras imports, draws from it.
        """
        self._actions[name] = action

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """The spec that another finder gives, with the action after it. Python calls this."""
        if name not in self._actions:  # who asks may not import it: only what has run is done with
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
            self._actions.pop(name, _nothing)(module)

        spec.loader.exec_module = run_and_act
        return spec


def _nothing(_: Any) -> None:
    """The action of a module whose action has been run already."""


class OwnModules(object):
    """A finder that comes first: a migrated script imports what lies beside it, not what lies beside its original.

    Both run where the user is, mostly beside the original; so an entry of `sys.path` that counts from there ('../',
    'lib') would lead a migrated script to the original's modules. It counts from the migrated script's own folder.

    Args:
        home: the folder of the script.
        original: that of the script it was migrated from.
    """

    def __init__(self, home: str, original: str) -> None:
        self._home, self._original = os.path.abspath(home), os.path.abspath(original)
        self._start = os.getcwd()

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """The spec of a module in a folder whose like beside the original `sys.path` names. Python calls this."""
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
        """The files of the original's that have been imported, by their paths from its folder."""
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

"""What is to happen as soon as a module has been imported, and not before: a script may never import it."""

import random
import sys
from typing import Any, Callable


class WhenImported:
    """A finder that comes first, finds nothing by itself, and acts when a module that it was told of is complete."""

    def __init__(self) -> None:
        self._actions = {}  # type: dict[str, Callable[[Any], None]]
        sys.meta_path.insert(0, self)

    def then(self, name: str, action: Callable[[Any], None]) -> None:
        """Calls `action(module)` when the module has run, before whoever imports it gets it.

        Python's generator is then as it was before: rich, which Keras imports, draws from it.
        """
        self._actions[name] = action

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """The spec that another finder gives, with the action behind it. Python calls this."""
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

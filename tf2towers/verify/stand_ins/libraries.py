"""What other libraries have lost since TF1: an original finds what `migrate` writes in its place (libraries.tsv)."""

from __future__ import annotations

import contextlib
import functools
import sys
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from tf2towers.codemod.tables import LibraryChange, library_changes
from tf2towers.verify.recorder.imports import WhenImported


def complete_libraries() -> None:
    """Gives each library the names that it has lost, as soon as it is imported; NumPy takes generators of arrays."""
    import numpy as np

    lost: dict[str, dict[str, LibraryChange]] = {}
    for dotted, change in library_changes().items():
        home, _, name = dotted.rpartition(".")
        if home and change.kind != "gone":
            lost.setdefault(home, {})[name] = change
    imports = WhenImported()
    for home, names in lost.items():
        give = functools.partial(_give, names=names)
        if home in sys.modules:
            give(sys.modules[home])
        else:
            imports.then(home, give)
    sys.meta_path.append(_LostModules(frozenset(lost)))
    for name in ("stack", "vstack", "hstack", "concatenate", "dstack", "column_stack"):
        setattr(np, name, _of_generators(getattr(np, name)))


def _give(module: Any, names: dict[str, LibraryChange]) -> None:
    for name, change in names.items():
        if name not in vars(module):
            with contextlib.suppress(AttributeError, ImportError):
                setattr(module, name, _found(change))


def _found(change: LibraryChange) -> Any:
    if change.kind == "module":
        return import_module(change.target)
    return getattr(import_module(change.home), change.last)


class _LostModules(MetaPathFinder, Loader):
    """Finds modules that are gone and that the table has names of, or another module for; to be asked last."""

    def __init__(self, homes: frozenset[str]) -> None:
        self._homes = homes

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec of such a module."""
        known = library_changes().get(fullname)
        if fullname in self._homes or (known is not None and known.kind == "module"):
            return ModuleSpec(fullname, self)
        return None

    def exec_module(self, module: ModuleType) -> None:
        """Puts the other module in its place; what has names of its own is given them by `WhenImported`."""
        known = library_changes().get(module.__name__)
        if known is not None and known.kind == "module":
            sys.modules[module.__name__] = import_module(known.target)


def _of_generators(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def call(arrays: Any, *args: Any, **kwargs: Any) -> Any:
        return function(list(arrays) if isinstance(arrays, Iterator) else arrays, *args, **kwargs)

    return call

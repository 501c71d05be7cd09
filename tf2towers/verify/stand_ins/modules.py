"""Modules that scripts of TF1 import and TensorFlow 2 has no more: `tensorflow.contrib`, `tensorflow.examples`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, NoReturn

from tf2towers.codemod.symbols import is_module, symbol_table
from tf2towers.verify.stand_ins.objects import ONLY_HERE, STILL_THERE, NoStandInError, Objects


@cache
def _modules() -> frozenset[str]:
    """What the tables have names below of, and the packages of tf.contrib that have ended."""
    found = {*STILL_THERE, *(name.rpartition(".")[0] for name in ONLY_HERE)}
    for row in symbol_table().values():
        if row.name.startswith(("tf.contrib.", "tf.examples.")):
            parts = row.name.split(".")
            parts = parts if row.advice and parts[-1].islower() else parts[:-1]
            found.update(".".join(parts[:count]) for count in range(2, len(parts) + 1))
    return frozenset(found)


class StandIn(ModuleType):
    """A module whose attributes are what the tables say of their names, each looked up on its first use.

    A name that nothing stands for raises `NoStandInError`. Imported (`from tensorflow.contrib.crf import crf_decode`)
    it becomes a module of this class too, which raises when it is called, subclassed or asked for an attribute: a
    script may import what it never uses.
    """

    def __init__(self, canonical: str, objects: Objects) -> None:
        super().__init__("tensorflow" + canonical[2:], f"Stands for {canonical} of TensorFlow 1.")
        self._canonical = canonical
        self._objects = objects
        self.__path__: list[str] = []

    def __getattr__(self, name: str) -> Any:
        canonical = f"{self._canonical}.{name}"
        if name.startswith("__"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        if not self._objects.is_of_runtime(canonical) and (
            canonical in _modules()
            or is_module(canonical)
            or (self._canonical == "tf.contrib" and name.islower())
        ):
            return import_module(f"{self.__name__}.{name}")
        value = self._objects.find_object(canonical)
        setattr(self, name, value)
        return value

    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Raises NoStandInError: whatever was imported by this name, nothing stands for it."""
        raise NoStandInError(self._canonical)

    def __mro_entries__(self, bases: tuple[Any, ...]) -> NoReturn:
        raise NoStandInError(self._canonical)


class StandInFinder(MetaPathFinder, Loader):
    """Finds the modules of TF1 that no file of TensorFlow 2 holds; to be asked last."""

    def __init__(self, objects: Objects) -> None:
        self._objects = objects

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec of `tensorflow.contrib` or `tensorflow.examples`, what is in them, and other modules of TF1."""
        root, _, rest = fullname.partition(".")
        if root != "tensorflow" or not rest:
            return None
        if rest.split(".")[0] in ("contrib", "examples") or is_module("tf." + rest):
            return ModuleSpec(fullname, self, is_package=True)
        return None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The stand-in, or the thing itself where the tables have an object of that name."""
        canonical = "tf" + spec.name[len("tensorflow") :]
        return StandIn(canonical, self._objects)

    def exec_module(self, module: ModuleType) -> None:
        """Puts the module that TensorFlow still has elsewhere in its place."""
        canonical = "tf" + module.__name__[len("tensorflow") :]
        if canonical in STILL_THERE:
            sys.modules[module.__name__] = import_module(STILL_THERE[canonical])

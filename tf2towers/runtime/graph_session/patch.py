"""`Patch`: a change of TensorFlow in this process, which is applied once, listed while in force, and can be undone."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from types import ModuleType
from typing import Any

_MISSING: Any = object()


class Patch:
    """Replaces some attributes of TensorFlow from the first call on, until `undo`.

    Attributes:
        name: the name of the function that makes the changes; its docstring is `why`.
        source: the file and the name in TensorFlow 1.15.5 (or another release) that show the patched behaviour.
        test: the test or soundness script that fails without the patch.
        changes: owner and name of each changed attribute; empty while the patch is not applied.
    """

    def __init__(self, change: Callable[..., None], source: str, test: str) -> None:
        self.name, self.why = change.__name__, change.__doc__ or ""
        self.source, self.test = source, test
        self.changes: list[tuple[Any, str]] = []
        self._change = change
        self._undos: list[Callable[[], object]] = []

    def __call__(self, *args: Any) -> None:
        """Applies the patch, if it is not applied yet; if that fails, all its changes are undone."""
        if self in _applied:
            return
        _applied.append(self)
        try:
            self._change(self, *args)
        except BaseException:
            self.undo()
            raise

    def set(self, owner: Any, name: str, value: Any) -> None:
        """Sets an attribute, or an entry of a dictionary, and remembers the old value for `undo`."""
        if isinstance(owner, dict):
            entry = owner[name]
            self.on_undo(lambda: owner.update({name: entry}))
            owner[name] = value
        else:
            before = getattr(owner, name, _MISSING) if isinstance(owner, ModuleType) else _own(owner, name)
            self.on_undo(lambda: delattr(owner, name) if before is _MISSING else setattr(owner, name, before))
            setattr(owner, name, value)
        self.changes.append((owner, name))

    def around(self, owner: Any, name: str, *others: Any) -> Callable[[Callable[..., Any]], None]:
        """Wraps the function in an attribute, also in other owners; the wrapper is passed the old function first."""

        def decorate(function: Callable[..., Any]) -> None:
            plain = owner[name] if isinstance(owner, dict) else getattr(owner, name)
            wrapper = wraps(plain)(lambda *args, **kwargs: function(plain, *args, **kwargs))
            for each in (owner, *others):
                self.set(each, name, wrapper)

        return decorate

    def on_undo(self, revert: Callable[[], object]) -> None:
        """Registers a function that `undo` calls, for a change that is not of an attribute."""
        self._undos.append(revert)

    def undo(self) -> None:
        """Undoes the changes, the last one first; does nothing if the patch is not applied."""
        while self._undos:
            self._undos.pop()()
        self.changes.clear()
        if self in _applied:
            _applied.remove(self)


_applied: list[Patch] = []


def applied() -> tuple[Patch, ...]:
    """The patches in force, in the order in which they were applied."""
    return tuple(_applied)


def undo() -> None:
    """Undoes all patches, the last one first."""
    for one in reversed(applied()):
        one.undo()


def patch(source: str, test: str) -> Callable[[Callable[..., None]], Patch]:
    """Decorator that makes a `Patch` of a function, which is passed the patch and the arguments of the patch's call."""
    return lambda change: Patch(change, source, test)


def _own(owner: Any, name: str) -> Any:
    """The raw attribute of a class itself (a property, a static method); `_MISSING` if the class only inherits it."""
    return vars(owner).get(name, _MISSING)

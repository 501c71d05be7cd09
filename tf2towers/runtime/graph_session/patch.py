"""A change of TensorFlow for this process: applied once, listed while it is in force, and taken back."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from types import ModuleType
from typing import Any

_MISSING: Any = object()


class Patch:
    """Some attributes of TensorFlow's that are ours from the first call on, until `undo`.

    Attributes:
        name: of the function that makes the changes; its docstring is `why`.
        source: the file and the name in TensorFlow 1.15.5 (or another release) that behave so.
        test: the test or soundness script that fails without the patch.
        changes: owner and name of each attribute that is changed; empty while the patch is not applied.
    """

    def __init__(self, change: Callable[..., None], source: str, test: str) -> None:
        self.name, self.why = change.__name__, change.__doc__ or ""
        self.source, self.test = source, test
        self.changes: list[tuple[Any, str]] = []
        self._change = change
        self._undos: list[Callable[[], object]] = []

    def __call__(self, *args: Any) -> None:
        """Applies the patch, if it is not applied yet. Of one that fails nothing stays."""
        if self in _applied:
            return
        _applied.append(self)
        try:
            self._change(self, *args)
        except BaseException:
            self.undo()
            raise

    def set(self, owner: Any, name: str, value: Any) -> None:
        """Sets an attribute, or an entry of a dictionary, and keeps what was there."""
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
        """Sets an attribute, here and in other owners, to a function that is given what was there first of all."""

        def decorate(function: Callable[..., Any]) -> None:
            plain = owner[name] if isinstance(owner, dict) else getattr(owner, name)
            made = wraps(plain)(lambda *args, **kwargs: function(plain, *args, **kwargs))
            for each in (owner, *others):
                self.set(each, name, made)

        return decorate

    def on_undo(self, take_back: Callable[[], object]) -> None:
        """Has a change that is no attribute taken back by `undo`."""
        self._undos.append(take_back)

    def undo(self) -> None:
        """Takes the changes back, the last one first; nothing where the patch is not applied."""
        while self._undos:
            self._undos.pop()()
        self.changes.clear()
        if self in _applied:
            _applied.remove(self)


_applied: list[Patch] = []


def applied() -> tuple[Patch, ...]:
    """The patches that are in force, in the order in which they were applied."""
    return tuple(_applied)


def undo() -> None:
    """Takes all patches back, the last one first."""
    for one in reversed(applied()):
        one.undo()


def patch(source: str, test: str) -> Callable[[Callable[..., None]], Patch]:
    """Makes a `Patch` of the function below, which is called with the patch and what the patch is called with."""
    return lambda change: Patch(change, source, test)


def _own(owner: Any, name: str) -> Any:
    """A class's attribute as it stands in the class (a property, a static method), or `_MISSING`."""
    return vars(owner).get(name, _MISSING)

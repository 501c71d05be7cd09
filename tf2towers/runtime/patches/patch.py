"""`Patch`: a change of TensorFlow in this process: applied once, listed, can be undone."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from functools import wraps
from types import ModuleType
from typing import Any

import tensorflow as tf

from tf2towers.runtime.patches.private import MovedError, look_up, private

_MISSING: Any = object()


class Patch:
    """Replaces some attributes of TensorFlow from the first call on, until `undo`.

    Attributes:
        name: the name of the function that makes the changes; its docstring is `why`.
        feature: what scripts have by the patch, in a user's words; the subject of a sentence.
        source: the file and the name in TensorFlow 1.15.5 (or another release) that show the
            patched behaviour.
        test: the test or soundness script that fails without the patch.
        serves: the names in `tf.compat.v1` that raise an error if the patch cannot be applied. With
            an argument, `get_variable:regularizer`, only where that is given. Without names,
            TensorFlow itself raises an error.
        changes: owner and name of each changed attribute; empty while the patch is not applied.
    """

    def __init__(
        self, change: Callable[..., None], feature: str, source: str, test: str, serves: tuple[str, ...] = ()
    ) -> None:
        self.name, self.why = change.__name__, change.__doc__ or ""
        self.feature, self.source, self.test, self.serves = feature, source, test, serves
        self.changes: list[tuple[Any, str]] = []
        self._change = change
        self._undos: list[Callable[[], object]] = []
        self._waiting: list[Callable[[], object]] = []
        #: what the call that applied it was given
        self.arguments: tuple[Any, ...] = ()

    def __call__(self, *args: Any) -> None:
        """Applies the patch, if it is not applied yet; if that fails, all its changes are undone.

        Raises:
            MovedError: a private name that it needs has moved.
        """
        if self in _applied:
            return
        _applied.append(self)
        self.arguments = args
        try:
            self._change(self, *args)
        except BaseException:
            self.undo()
            raise
        while self._waiting:
            self._waiting.pop(0)()

    def once_applied(self, act: Callable[[], object]) -> None:
        """Calls a function once the patch is in force: at once, or when it is applied."""
        if self in _applied:
            act()
        else:
            self._waiting.append(act)

    def apply_or_guard(self, *args: Any) -> None:
        """Applies the patch; if a private name has moved, what the patch serves raises that error.

        TensorFlow would compute otherwise there than TensorFlow 1 did. What the patch does not
        serve works as before. Where it serves no name, the sentence goes to standard error, and
        TensorFlow itself refuses what is missing.
        """
        try:
            self(*args)
        except MovedError as error:
            _applied.append(self)
            for name in self.serves:
                self._guard(name, error)
            if not self.serves:
                print(f"tf2towers: {error}", file=sys.stderr)

    def _guard(self, name: str, error: MovedError) -> None:
        """Makes a public function, or the making of an object, raise `error` wherever called."""
        dotted, _, argument = name.partition(":")
        *path, last = dotted.split(".")
        owner: Any = tf.compat.v1
        for part in path:
            owner = getattr(owner, part, None)
        plain: Any = getattr(owner, last, None)
        if isinstance(plain, type):
            owner, last, plain = plain, "__init__", vars(plain)["__init__"]
        if isinstance(owner, type):
            self.set(owner, last, _refusing(plain, argument, error))
        elif plain is not None:
            modules = [module for key, module in [*sys.modules.items()] if key.startswith("tensorflow.")]
            refusing = _refusing(plain, argument, error)
            for module in {id(module): module for module in [owner, *modules]}.values():
                for key in [key for key, value in vars(module).items() if value is plain]:
                    self.set(module, key, refusing)

    def private(self, name: str) -> Any:
        """The private name of TensorFlow `tensorflow.python.NAME`, see `private.private`."""
        return private(name, self.feature)

    def get(self, owner: Any, name: str) -> Any:
        """An attribute, or an entry of a dictionary; MovedError where there is none."""
        return look_up(owner, name, self.feature)

    def set(self, owner: Any, name: str, value: Any) -> None:
        """Sets an attribute, or an entry of a dictionary; `undo` sets the old value."""
        if isinstance(owner, dict):
            entry = owner[name]
            self.on_undo(lambda: owner.update({name: entry}))
            owner[name] = value
        else:
            before = getattr(owner, name, _MISSING) if isinstance(owner, ModuleType) else _own(owner, name)
            self.on_undo(lambda: delattr(owner, name) if before is _MISSING else setattr(owner, name, before))
            setattr(owner, name, value)
        self.changes.append((owner, name))

    def replace(self, owner: Any, name: str, value: Any) -> None:
        """Sets an attribute that there has to be: raises MovedError otherwise."""
        self.get(owner, name)
        self.set(owner, name, value)

    def around(self, owner: Any, name: str, *others: Any) -> Callable[[Callable[..., Any]], None]:
        """Wraps the function in an attribute, in other owners, too; it gets the old one first."""

        def decorate(function: Callable[..., Any]) -> None:
            plain = self.get(owner, name)
            wrapper = wraps(plain)(lambda *args, **kwargs: function(plain, *args, **kwargs))
            for each in (owner, *others):
                self.replace(each, name, wrapper)

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


def patch(
    feature: str, source: str, test: str, serves: tuple[str, ...] = ()
) -> Callable[[Callable[..., None]], Patch]:
    """Decorator that makes a `Patch` of a function of the patch and its call's arguments."""
    return lambda change: Patch(change, feature, source, test, serves)


def _refusing(plain: Callable[..., Any], argument: str, error: MovedError) -> Callable[..., Any]:
    """A function that raises the error; with an argument's name, only where that is given."""
    parameters = inspect.signature(plain) if argument else None

    @wraps(plain)
    def refusing(*args: Any, **kwargs: Any) -> Any:
        if parameters is None or parameters.bind(*args, **kwargs).arguments.get(argument):
            raise error
        return plain(*args, **kwargs)

    return refusing


def _own(owner: Any, name: str) -> Any:
    """The raw attribute of a class itself (a property, a static method); `_MISSING` if none."""
    return vars(owner).get(name, _MISSING)
